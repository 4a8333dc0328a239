import { words } from '../app/language.ts'
import { useCopied } from './copied.ts'

/** A value that is copied by a click, and says that it was. */
export function Copy({ text, label = text }: { text: string; label?: string }) {
  const { said, copy } = useCopied(() => text)
  return (
    <button type="button" class="copy" title={words.value.copy} onClick={() => void copy()}>
      <code>{label}</code>
      <span aria-live="polite">{said}</span>
    </button>
  )
}
