import { useSignal } from '@preact/signals'

import { words } from '../app/language.ts'
import './snippet.css'

/** Lines of code with a button that copies them. `label` says what they are. */
export function Snippet({ label, text }: { label: string; text: string }) {
  const isDone = useSignal(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    isDone.value = true
    setTimeout(() => (isDone.value = false), 1500)
  }
  return (
    <figure class="snippet">
      <figcaption>
        <span>{label}</span>
        <button type="button" aria-label={`${words.value.copy}: ${label}`} onClick={() => void copy()}>
          <span aria-live="polite">{isDone.value ? words.value.copied : words.value.copy}</span>
        </button>
      </figcaption>
      <pre tabIndex={0}>{text}</pre>
    </figure>
  )
}
