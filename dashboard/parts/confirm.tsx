import { useDeed } from '../app/deed.ts'
import { words } from '../app/language.ts'
import { Dialog } from './dialog.tsx'
import { Refusal } from './refusal.tsx'

export interface ConfirmProps {
  readonly title: string
  readonly text: string
  /** The deed's own word, on the button. */
  readonly deed: string
  readonly onDeed: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before something that cannot be undone; what is refused stays to be read. */
export function Confirm({ title, text, deed, onDeed, onClose }: ConfirmProps) {
  const { isBusy, refused, run } = useDeed()
  return (
    <Dialog title={title} onClose={onClose} isHeld={isBusy.value}>
      <p>{text}</p>
      <Refusal refused={refused.value} />
      <footer>
        <button type="button" disabled={isBusy.value} onClick={onClose}>
          {words.value.cancel}
        </button>
        <button type="button" class="danger" disabled={isBusy.value} onClick={() => void run(onDeed, onClose)}>
          {deed}
        </button>
      </footer>
    </Dialog>
  )
}
