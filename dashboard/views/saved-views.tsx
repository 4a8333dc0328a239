import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

import { useMessages } from '../app/lazy-messages.tsx'
import { dashboardPath } from '../app/router.ts'
import { session } from '../app/session-state.ts'
import { formatMessage } from '../messages/lookup.ts'
import { viewText } from '../messages/page-texts.ts'
import { ManageViewsDialog, SaveViewDialog } from './view-dialogs.tsx'
import { normalizeQuery, readSavedViews, type SavedView, savedViewsMax, storeSavedViews, type ViewList } from './view-storage.ts'

export interface SavedViewsProps {
  readonly list: ViewList
  /** The filters of the list as its address has them. */
  readonly query: URLSearchParams
  /** The views that everybody has. */
  readonly children?: ComponentChildren
}

/** The views of a list: those that everybody has, then the user's own; a button saves the present filters under a name, another renames and deletes. */
export function SavedViews({ list, query, children }: SavedViewsProps) {
  const userId = session.value?.userId ?? ''
  const views = useSignal(readSavedViews(userId))
  const dialog = useSignal<'save' | 'manage' | null>(null)
  const hasFailed = useSignal(false)
  if (useMessages(viewText) !== null) return <div class="views">{children}</div>
  const text = viewText.current()
  const current = normalizeQuery(query)
  const own = views.value.filter((view) => view.list === list)
  // Another tab may have changed them since they were read.
  const change = (next: (stored: readonly SavedView[]) => readonly SavedView[]): void => {
    views.value = next(readSavedViews(userId))
    hasFailed.value = !storeSavedViews(userId, views.value)
  }
  const isOwn = (view: SavedView, name: string): boolean => view.list === list && view.name === name
  return (
    <>
      <div class="views" role="group" aria-label={text.views}>
        {children}
        {own.map(({ name, query: saved }) => (
          <a key={name} href={dashboardPath(`${list}?${saved}`)} aria-current={saved === current ? 'true' : undefined}>
            {name}
          </a>
        ))}
        {current !== '' && !own.some((view) => view.query === current) && (
          <button type="button" onClick={() => (dialog.value = 'save')}>
            {text.save}
          </button>
        )}
        <button type="button" onClick={() => (dialog.value = 'manage')}>
          {formatMessage(text.mineCount, own.length)}
        </button>
      </div>
      {hasFailed.value && <p role="alert">{text.cannotStore}</p>}
      {dialog.value === 'save' && (
        <SaveViewDialog
          own={own}
          isFull={views.value.length >= savedViewsMax}
          onSave={(name) => change((stored) => [...stored, { list, name, query: current }])}
          onManage={() => (dialog.value = 'manage')}
          onClose={() => (dialog.value = null)}
        />
      )}
      {dialog.value === 'manage' && (
        <ManageViewsDialog
          own={own}
          onRename={(from, to) => change((stored) => stored.map((view) => (isOwn(view, from) ? { ...view, name: to } : view)))}
          onDelete={(name) => change((stored) => stored.filter((view) => !isOwn(view, name)))}
          onClose={() => (dialog.value = null)}
        />
      )}
    </>
  )
}
