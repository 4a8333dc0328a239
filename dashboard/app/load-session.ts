import { call } from './call.ts'
import { session } from './session-state.ts'

/** Asks who is signed in. Throws `Refused`, and leaves that open, where it cannot be told. */
export async function loadSession(): Promise<void> {
  try {
    session.value = (await call('dashboard.session.get', {})).session
  } catch (err) {
    session.value = undefined
    throw err
  }
}

/** Asks once more what else is told of the session, such as a time that was moved; what cannot be told stays as it was. */
export async function refreshSession(): Promise<void> {
  try {
    const now = (await call('dashboard.session.get', {})).session
    if (now !== null && session.peek() !== null) session.value = now
  } catch {
    // The next call of the page says what is wrong.
  }
}
