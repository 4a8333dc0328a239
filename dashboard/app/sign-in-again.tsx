import { useEffect, useRef } from 'preact/hooks'

import { SignInPage } from '../pages/sign-in/sign-in-page.tsx'
import { messages } from './language.ts'
import { resumeSession } from './load-session.ts'
import { clearSession } from './session-state.ts'

/**
 * The session has ended while a page was open. Covers the page with the form to sign in, and leaves it as it is below, with what was typed. It is in the
 * browser's top layer, so that it covers open dialogs too.
 */
export function SignInAgain() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    // Somebody may have signed in in another tab, which shares the session.
    const onVisible = (): void => {
      if (!document.hidden) void resumeSession().catch(() => undefined)
    }
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      document.removeEventListener('visibilitychange', onVisible)
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  const text = messages.value.signIn
  return (
    <dialog
      ref={dialog}
      class="sign-in-again"
      aria-label={text.title}
      // Two presses close a dialog whatever its `cancel` says.
      onKeyDown={(event) => event.key === 'Escape' && event.preventDefault()}
      onCancel={(event) => event.preventDefault()}
      onClose={() => dialog.current?.isConnected === true && dialog.current.showModal()}
    >
      <SignInPage isAgain onDone={resumeSession} />
      <button type="button" class="quiet" onClick={clearSession}>
        {text.leave}
      </button>
    </dialog>
  )
}
