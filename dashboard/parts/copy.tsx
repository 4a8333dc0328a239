import { useSignal } from '@preact/signals'

import { words } from '../app/language.ts'

/** A value that is copied by a click, and says that it was. */
export function Copy({ text, label = text }: { text: string; label?: string }) {
  const isDone = useSignal(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    isDone.value = true
    setTimeout(() => (isDone.value = false), 1500)
  }
  return (
    <button type="button" class="copy" title={words.value.copy} onClick={() => void copy()}>
      <code>{label}</code>
      <span aria-live="polite">{isDone.value ? words.value.copied : ''}</span>
    </button>
  )
}
