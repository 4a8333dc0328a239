/** Session lifetimes and sign-in limits (docs/guides/dashboard.md). */
export interface UserSettings {
  /** A session ends after `idleMs` without a request (PCI DSS 8.2.8), and after `absoluteMs` in any case. */
  readonly idleMs: number
  readonly absoluteMs: number
  /** Failed attempts that lock a login, and for how long (PCI DSS 8.3.4). */
  readonly maxAttempts: number
  readonly lockMs: number
  /** Whether an issued password must be changed before anything else. */
  readonly mustChange: boolean
}

export const userSettings: UserSettings = Object.freeze({
  idleMs: 15 * 60_000,
  absoluteMs: 12 * 3_600_000,
  maxAttempts: 10,
  lockMs: 30 * 60_000,
  mustChange: true,
})
