/** The result of one check. */
export interface DoctorFinding {
  readonly check: string
  readonly ok: boolean
  readonly found: string
  /** What to do; '' when nothing has to be fixed. */
  readonly advice: string
  /** Whether the check could not be made, because one before it failed. */
  readonly skipped?: true
  /** Whether nothing was looked at, and nothing has to be fixed for it: custodians hold the key that it needs. */
  readonly unseen?: true
}

/** The result of a check. Advice is for what has to be fixed only. */
export function finding(check: string, ok: boolean, found: string, advice: string): DoctorFinding {
  return { check, ok, found, advice: ok ? '' : advice }
}
