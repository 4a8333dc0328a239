/** A test that may be skipped, and why. Any other skipped test counts as failed. */
export type AllowedSkip = { file: string; title: string; why: string }

/** Empty on purpose: a test that cannot run here is never run. */
export const allowedSkips: readonly AllowedSkip[] = []
