import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'

import { dashboardPath } from '../../app/router.ts'
import { session } from '../../app/session-state.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { requestPageText } from '../../messages/page-texts.ts'
import { storeSavedFilters, maxSavedFilters, requestFilterPath, readSavedFilters, type RequestLogFilter } from './request-filter.ts'

/** The user's saved filters as links, and a form that saves the current one under a name. */
export function SavedFilters({ filter }: { filter: RequestLogFilter }) {
  const text = requestPageText.current()
  const userId = session.value?.userId ?? ''
  const saved = useSignal(readSavedFilters(userId))
  const name = useSignal('')
  const id = useId()
  const store = (next: typeof saved.value): void => {
    saved.value = next
    storeSavedFilters(userId, next)
  }
  const path = requestFilterPath(filter)
  const canSave = Object.keys(filter).length > 0 && !saved.value.some((each) => requestFilterPath(each.filter) === path)
  const isFull = saved.value.length >= maxSavedFilters
  if (saved.value.length === 0 && !canSave) return null
  return (
    <div class="tools saved-filters">
      {saved.value.map((each) => (
        <span key={each.name} class="saved-filter">
          <a href={dashboardPath(requestFilterPath(each.filter))}>{each.name}</a>
          <button
            type="button"
            aria-label={formatMessage(text.deleteFilter, each.name)}
            onClick={() => store(saved.value.filter((other) => other !== each))}
          >
            ×
          </button>
        </span>
      ))}
      {canSave && isFull && <p>{formatMessage(text.tooManyFilters, maxSavedFilters)}</p>}
      {canSave && !isFull && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const newName = name.value.trim()
            if (newName === '') return
            store([...saved.value.filter((each) => each.name !== newName), { name: newName, filter }])
            name.value = ''
          }}
        >
          <label class="visually-hidden" for={id}>
            {text.filterName}
          </label>
          <input
            id={id}
            maxLength={40}
            placeholder={text.filterName}
            value={name.value}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
          <button type="submit">{text.saveFilter}</button>
        </form>
      )}
    </div>
  )
}
