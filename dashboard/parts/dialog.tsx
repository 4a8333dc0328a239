import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import { words } from '../app/language.ts'

export interface DialogProps {
  readonly title: string
  /** Closed by the person; never told of a dialog that is no longer rendered. */
  readonly onClose: () => void
  /** While something is under way that it has to tell the end of, it does not close. */
  readonly isHeld?: boolean
  readonly children: ComponentChildren
}

/** The browser's own modal dialog: it holds the focus and gives it back, and Escape closes it. Shown for as long as it is rendered. */
export function Dialog({ title, onClose, isHeld = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isRendered = useRef(true)
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    return () => {
      isRendered.current = false
      // The browser gives the focus back to it when a dialog closes, and not when one is taken away.
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onCancel={(event) => isHeld && event.preventDefault()}
      onClose={() => isRendered.current && onClose()}
    >
      <header>
        <h2>{title}</h2>
        <button type="button" class="bare" disabled={isHeld} onClick={() => dialog.current?.close()}>
          <span aria-hidden="true">✕</span>
          <span class="unseen">{words.value.close}</span>
        </button>
      </header>
      {children}
    </dialog>
  )
}
