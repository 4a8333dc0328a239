import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import { messages } from '../app/language.ts'
import { useAction } from '../hooks/use-action.ts'
import { ErrorMessage } from './query-result.tsx'

export interface DialogProps {
  readonly title: string
  /** The user closed it. Not called for a dialog that is no longer rendered. */
  readonly onClose: () => void
  /** Keeps the dialog open while an action is running whose outcome it has to show. */
  readonly isLocked?: boolean
  readonly children: ComponentChildren
}

/** The browser's own modal dialog, which traps the focus and closes on Escape. Open as long as it is rendered. */
export function Dialog({ title, onClose, isLocked = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isRendered = useRef(true)
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    return () => {
      isRendered.current = false
      // The browser restores the focus when a dialog closes, but not when it is removed.
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onCancel={(event) => isLocked && event.preventDefault()}
      onClose={() => isRendered.current && onClose()}
    >
      <header>
        <h2>{title}</h2>
        <button type="button" class="bare" disabled={isLocked} onClick={() => dialog.current?.close()}>
          <span aria-hidden="true">✕</span>
          <span class="visually-hidden">{messages.value.close}</span>
        </button>
      </header>
      {children}
    </dialog>
  )
}

export interface ConfirmDialogProps {
  readonly title: string
  readonly text: string
  /** The label of the button that does it. */
  readonly confirmLabel: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before something that cannot be undone. Stays open with the error when it fails. */
export function ConfirmDialog({ title, text, confirmLabel, onConfirm, onClose }: ConfirmDialogProps) {
  const { isBusy, error, run } = useAction()
  return (
    <Dialog title={title} onClose={onClose} isLocked={isBusy.value}>
      <p>{text}</p>
      <ErrorMessage error={error.value} />
      <footer>
        <button type="button" disabled={isBusy.value} onClick={onClose}>
          {messages.value.cancel}
        </button>
        <button type="button" class="danger" disabled={isBusy.value} onClick={() => void run(onConfirm, onClose)}>
          {confirmLabel}
        </button>
      </footer>
    </Dialog>
  )
}
