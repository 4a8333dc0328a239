import { computed, signal } from '@preact/signals'
import type { Result, Role } from '@tessera/contract/operations'

/** The signed-in user with the session's CSRF token and the merchant. */
export type SessionInfo = NonNullable<Result<'dashboard.session.get'>['session']>

/** Undefined while it is not known; null if no user is signed in. */
export const session = signal<SessionInfo | null | undefined>(undefined)
/** The session has ended by itself. What was typed in its pages stays, below the form to sign in again. */
export const hasSessionExpired = signal(false)
let [loadedAt, calledAt] = [0, 0]

/** When the session was last loaded, and when the service last knew it; Unix milliseconds of this browser. */
export const sessionLoadedAt = (): number => loadedAt
export const lastCallAt = (): number => calledAt

/** A call of the session had a reply, in this tab or in another one. */
export function noteSessionCall({ isOfOtherTab = false }: { readonly isOfOtherTab?: boolean } = {}): void {
  calledAt = Date.now()
  if (!isOfOtherTab) tellCall()
}

/** The call that loaded it was noted as any other. */
export function noteSessionLoaded(): void {
  loadedAt = calledAt = Date.now()
}

/** `tell` is called after every call of this tab. */
export function onSessionCall(tell: () => void): void {
  tellCall = tell
}

let tellCall = (): void => undefined

/** For the header X-Tessera-CSRF. Empty before sign-in. */
export const csrfToken = computed(() => session.value?.csrf ?? '')

/** The service no longer knows the session. A page with several calls in flight gets here several times. */
export function expireSession(): void {
  if (session.peek()) hasSessionExpired.value = true
  else session.value = null
}

/** The user has signed out. */
export function clearSession(): void {
  session.value = null
  hasSessionExpired.value = false
}

/** The time of the service, unix milliseconds: that of this machine, and ahead of it where somebody has moved the clock of the test environment. */
export function serviceNow(): number {
  return Date.now() + (session.value?.clockOffsetMs ?? 0)
}

/** Whether the user has a role. This only hides what the service would reject; the service decides. */
export function hasRole(needed: Role): boolean {
  const role = session.value?.role
  return role === 'owner' || needed === 'read' || role === needed
}
