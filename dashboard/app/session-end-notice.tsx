import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { Dialog } from '../components/dialog.tsx'
import { messages } from './language.ts'
import { refreshSession } from './load-session.ts'
import { lastCallAt, session, sessionLoadedAt } from './session-state.ts'
import { findSessionEnd, shouldKeepSession, type SessionEnd } from './session-end.ts'

/** Says two minutes before that the session ends, and keeps it while somebody types, so that nothing typed is lost meanwhile. */
export function SessionEndNotice() {
  const end = useSignal<SessionEnd | null>(null)
  useEffect(() => {
    let lastInputAt = 0
    let askedAt = 0
    const onInput = (): void => void (lastInputAt = Date.now())
    const look = (): void => {
      const current = session.peek()
      if (!current) return
      const lifetime = { ...current.lifetime, loadedAt: sessionLoadedAt(), lastCallAt: lastCallAt() }
      if (shouldKeepSession(lifetime, lastInputAt, Date.now())) void refreshSession()
      end.value = findSessionEnd(lifetime, Date.now())
      // The service knows best: another browser may have used it, and otherwise the page is covered now.
      if (end.value?.inMs === 0 && Date.now() - askedAt > askAgainMs) {
        askedAt = Date.now()
        void refreshSession()
      }
    }
    const timer = setInterval(look, lookEveryMs)
    addEventListener('input', onInput)
    return () => {
      clearInterval(timer)
      removeEventListener('input', onInput)
    }
  }, [])
  if (end.value === null) return null
  const text = messages.value.sessionEnd
  const minutes = Math.ceil(end.value.inMs / 60_000)
  if (end.value.kind === 'final')
    return (
      <p class="session-end" role="alert">
        {text.final(minutes)}
      </p>
    )
  const stay = (): void => {
    end.value = null
    void refreshSession()
  }
  return (
    <Dialog title={text.title} onClose={stay}>
      <p role="alert">{text.idle(minutes)}</p>
      <footer>
        <button type="button" class="main" onClick={stay}>
          {text.stay}
        </button>
      </footer>
    </Dialog>
  )
}

const lookEveryMs = 5000
const askAgainMs = 60_000
