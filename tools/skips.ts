/** A test that may be skipped, and why. Everything skipped that is not named here counts as failed. */
export type AllowedSkip = { file: string; title: string; why: string }

/** Kept empty on purpose: a test that cannot run here is a test that nobody runs. */
export const allowedSkips: readonly AllowedSkip[] = []
