import { useSignal, type ReadonlySignal } from '@preact/signals'
import { useRef } from 'preact/hooks'

import { words } from '../app/language.ts'

/** Copies a text to the clipboard. `said` tells for a moment that it was, or that the browser did not let us (over http it does not); null otherwise. */
export function useCopied(write: () => string): { readonly said: ReadonlySignal<string | null>; copy(): Promise<void> } {
  const said = useSignal<string | null>(null)
  const timer = useRef(0)
  return {
    said,
    async copy() {
      const isDone = await toClipboard(write())
      said.value = isDone ? words.value.copied : words.value.notCopied
      clearTimeout(timer.current)
      timer.current = window.setTimeout(() => (said.value = null), isDone ? doneMs : notDoneMs)
    },
  }
}

async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

const doneMs = 1500
const notDoneMs = 5000
