import { useSignal, type ReadonlySignal } from '@preact/signals'

/** Copies a text to the clipboard; `isDone` says for a moment that it was. */
export function useCopied(text: string): { readonly isDone: ReadonlySignal<boolean>; copy(): Promise<void> } {
  const isDone = useSignal(false)
  return {
    isDone,
    async copy() {
      await navigator.clipboard.writeText(text)
      isDone.value = true
      setTimeout(() => (isDone.value = false), shownMs)
    },
  }
}

const shownMs = 1500
