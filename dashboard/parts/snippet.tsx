import { words } from '../app/language.ts'
import { useCopied } from './copied.ts'
import './snippet.css'

/** Lines of code with a button that copies them. `label` says what they are. */
export function Snippet({ label, text }: { label: string; text: string }) {
  const { said, copy } = useCopied(() => text)
  return (
    <figure class="snippet">
      <figcaption>
        <span>{label}</span>
        <button type="button" aria-label={`${words.value.copy}: ${label}`} onClick={() => void copy()}>
          <span aria-live="polite">{said.value ?? words.value.copy}</span>
        </button>
      </figcaption>
      <pre tabIndex={0}>{text}</pre>
    </figure>
  )
}
