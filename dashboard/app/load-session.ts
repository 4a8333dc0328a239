import { call } from './api.ts'
import { noteSessionLoaded, session } from './session-state.ts'

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

/** Loads the session again, for instance after the test clock was moved. On failure everything stays as it was. */
export async function refreshSession(): Promise<void> {
  try {
    const current = (await call('dashboard.session.get', {})).session
    if (current !== null && session.peek() !== null) {
      session.value = current
      noteSessionLoaded()
    }
  } catch {
    // The page's next call reports the error.
  }
}
