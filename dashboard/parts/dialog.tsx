import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import { words } from '../app/language.ts'

export interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** The browser's own modal dialog: it holds the focus, and Escape closes it. Shown for as long as it is rendered. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-label={title} onClose={onClose}>
      <header>
        <h2>{title}</h2>
        <button type="button" class="bare" onClick={() => dialog.current?.close()}>
          <span aria-hidden="true">✕</span>
          <span class="unseen">{words.value.close}</span>
        </button>
      </header>
      {children}
    </dialog>
  )
}
