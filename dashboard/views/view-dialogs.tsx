import { useSignal } from '@preact/signals'

import { messages } from '../app/language.ts'
import { Dialog } from '../components/dialog.tsx'
import { Field } from '../components/fields.tsx'
import { formatMessage } from '../messages/lookup.ts'
import { viewText } from '../messages/page-texts.ts'
import { findNameProblem, type SavedView, savedViewsMax, viewNameMax } from './view-storage.ts'

interface SaveViewDialogProps {
  readonly own: readonly SavedView[]
  /** No more can be saved. */
  readonly isFull: boolean
  readonly onSave: (name: string) => void
  readonly onManage: () => void
  readonly onClose: () => void
}

export function SaveViewDialog({ own, isFull, onSave, onManage, onClose }: SaveViewDialogProps) {
  const text = viewText.current()
  const name = useSignal('')
  const problem = useSignal('')
  return (
    <Dialog title={text.saveTitle} onClose={onClose}>
      {isFull ? (
        <>
          <p role="alert">{formatMessage(text.full, savedViewsMax)}</p>
          <footer>
            <button type="button" onClick={onManage}>
              {text.mine}
            </button>
          </footer>
        </>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const found = findNameProblem(name.value, own)
            problem.value = found === null ? '' : text[found]
            if (found !== null) return
            onSave(name.value.trim())
            onClose()
          }}
        >
          <Field
            label={text.name}
            value={name.value}
            onInput={(typed) => (name.value = typed)}
            problem={problem.value}
            hint={text.notSaved}
            autocomplete="off"
            maxLength={viewNameMax}
            hasFocus
          />
          <footer>
            <button type="button" onClick={onClose}>
              {messages.value.cancel}
            </button>
            <button type="submit" class="main">
              {text.confirm}
            </button>
          </footer>
        </form>
      )}
    </Dialog>
  )
}

interface ManageViewsDialogProps {
  readonly own: readonly SavedView[]
  readonly onRename: (from: string, to: string) => void
  readonly onDelete: (name: string) => void
  readonly onClose: () => void
}

export function ManageViewsDialog({ own, onRename, onDelete, onClose }: ManageViewsDialogProps) {
  const text = viewText.current()
  return (
    <Dialog title={text.mine} onClose={onClose}>
      {own.length === 0 ? (
        <>
          <p>
            <strong>{text.none.title}</strong>
          </p>
          <p>{text.none.text}</p>
        </>
      ) : (
        <ul class="list">
          {own.map((view) => (
            <ViewRow
              key={view.name}
              view={view}
              own={own}
              onRename={(to) => onRename(view.name, to)}
              onDelete={() => onDelete(view.name)}
            />
          ))}
        </ul>
      )}
    </Dialog>
  )
}

interface ViewRowProps {
  readonly view: SavedView
  readonly own: readonly SavedView[]
  readonly onRename: (to: string) => void
  readonly onDelete: () => void
}

function ViewRow({ view: { name: before }, own, onRename, onDelete }: ViewRowProps) {
  const text = viewText.current()
  const name = useSignal(before)
  const problem = useSignal('')
  return (
    <li>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const found = findNameProblem(name.value, own, before)
          problem.value = found === null ? '' : text[found]
          if (found === null) onRename(name.value.trim())
        }}
      >
        <Field
          label={text.name}
          value={name.value}
          onInput={(typed) => (name.value = typed)}
          problem={problem.value}
          autocomplete="off"
          maxLength={viewNameMax}
        />
        <div class="actions">
          <button type="submit" disabled={name.value.trim() === before} aria-label={formatMessage(text.renameView, before)}>
            {text.rename}
          </button>
          <button type="button" class="danger" aria-label={formatMessage(text.deleteView, before)} onClick={onDelete}>
            {text.delete}
          </button>
        </div>
      </form>
    </li>
  )
}
