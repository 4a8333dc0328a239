import { call } from './api.ts'
import { navigate } from './router.ts'
import { expireSession, hasSessionExpired, noteSessionLoaded, session } from './session-state.ts'

/** Loads the session. Throws `DashboardCallError` and leaves the session unknown if that fails. */
export async function loadSession(): Promise<void> {
  try {
    session.value = (await call('dashboard.session.get', {})).session
    noteSessionLoaded()
  } catch (err) {
    session.value = undefined
    throw err
  }
}

/**
 * After a session has ended and somebody has signed in again: goes on with the page as it is. Another user gets a page of their own, and nothing of the one
 * before. Throws `DashboardCallError`.
 */
export async function resumeSession(): Promise<void> {
  const current = (await call('dashboard.session.get', {})).session
  if (current === null) return
  if (session.peek()?.userId !== current.userId) {
    session.value = null
    // The entry of the history may hold what the other one searched for.
    navigate('', { replace: true })
  }
  session.value = current
  noteSessionLoaded()
  hasSessionExpired.value = false
}

/** Loads the session again, for instance after the test clock was moved. On failure everything stays as it was. */
export async function refreshSession(): Promise<void> {
  try {
    const current = (await call('dashboard.session.get', {})).session
    if (current === null) expireSession()
    else if (session.peek() !== null) {
      session.value = current
      noteSessionLoaded()
    }
  } catch {
    // The page's next call reports the error.
  }
}
