import type { Signal } from '@preact/signals'

import { toCallError, type DashboardCallError } from '../app/api.ts'
import { hasSessionExpired, session } from '../app/session-state.ts'

/**
 * Shows why a call failed. If the session has ended, the form to sign in again says so already: then `repeat` is called once the same user has signed in
 * again.
 */
export function showOrRepeat(error: Signal<DashboardCallError | null>, err: unknown, repeat: () => unknown): void {
  const callError = toCallError(err)
  if (callError.body.reason !== 'signed_out' || !hasSessionExpired.peek()) {
    error.value = callError
    return
  }
  const userId = session.peek()?.userId
  const stop = hasSessionExpired.subscribe((isExpired) => {
    if (isExpired) return
    stop()
    if (userId === session.peek()?.userId) repeat()
  })
}
