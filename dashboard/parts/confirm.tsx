import { useSignal } from '@preact/signals'

import { asRefused } from '../app/ask.ts'
import type { Refused } from '../app/call.ts'
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
  const refused = useSignal<Refused | null>(null)
  const isBusy = useSignal(false)
  const run = async (): Promise<void> => {
    isBusy.value = true
    try {
      await onDeed()
      onClose()
    } catch (err) {
      refused.value = asRefused(err)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <Refusal refused={refused.value} />
      <footer>
        <button type="button" onClick={onClose}>
          {words.value.cancel}
        </button>
        <button type="button" class="danger" disabled={isBusy.value} onClick={() => void run()}>
          {deed}
        </button>
      </footer>
    </Dialog>
  )
}
