import { computed, signal } from '@preact/signals'
import type { Result, Role } from '@tessera/contract/methods'

/** Who is signed in. */
export type Session = NonNullable<Result<'dashboard.session.get'>['session']>

/** Undefined while it cannot be told; null: nobody. */
export const session = signal<Session | null | undefined>(undefined)
/** A session was there and is over: the sign-in page says so. */
export const hasEnded = signal(false)
/** For the header X-Tessera-CSRF; '' before signing in. */
export const csrf = computed(() => session.value?.csrf ?? '')

/** The service knows the session no more; a page that asked for several things hears it several times. */
export function endSession(): void {
  if (session.peek()) hasEnded.value = true
  session.value = null
}

/** The user has signed out. */
export function leaveSession(): void {
  session.value = null
  hasEnded.value = false
}

/** Whether the user may do what a role is needed for; the service decides, this hides what it would refuse. */
export function may(needed: Role): boolean {
  const role = session.value?.role
  return role === 'owner' || needed === 'read' || role === needed
}
