import { useSignal, type ReadonlySignal } from '@preact/signals'
import { useRef } from 'preact/hooks'

import { messages } from '../app/language.ts'

/** A value that is copied by a click. */
export function CopyButton({ text, label = text }: { text: string; label?: string }) {
  const { status, copy } = useClipboard(() => text)
  return (
    <button type="button" class="copy" title={messages.value.copy} onClick={() => void copy()}>
      <code>{label}</code>
      <span aria-live="polite">{status}</span>
    </button>
  )
}

/** Lines of code with a button that copies them. `label` says what they are. */
export function Snippet({ label, text }: { label: string; text: string }) {
  const { status, copy } = useClipboard(() => text)
  return (
    <figure class="snippet">
      <figcaption>
        <span>{label}</span>
        <button type="button" aria-label={`${messages.value.copy}: ${label}`} onClick={() => void copy()}>
          <span aria-live="polite">{status.value ?? messages.value.copy}</span>
        </button>
      </figcaption>
      <pre tabIndex={0}>{text}</pre>
    </figure>
  )
}

/** Copies a text to the clipboard. `status` says for a moment whether it worked (over plain http browsers do not allow it), and is null otherwise. */
export function useClipboard(getText: () => string): { readonly status: ReadonlySignal<string | null>; copy(): Promise<void> } {
  const status = useSignal<string | null>(null)
  const timer = useRef(0)
  return {
    status,
    async copy() {
      const isCopied = await writeToClipboard(getText())
      status.value = isCopied ? messages.value.copied : messages.value.notCopied
      clearTimeout(timer.current)
      timer.current = window.setTimeout(() => (status.value = null), isCopied ? copiedMs : notCopiedMs)
    },
  }
}

async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

const copiedMs = 1500
const notCopiedMs = 5000
