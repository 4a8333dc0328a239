/** A test that may be skipped, and why. Any other skipped test counts as failed. */
export type AllowedSkip = { file: string; title: string; why: string }

/** Each is printed with its reason by every run that skips it. */
export const allowedSkips: readonly AllowedSkip[] = [
  {
    file: 'service/src/store/postgres/citus.peer.test.ts',
    title: 'the store suite runs on Citus',
    why: 'Debian has no package of Citus. TESSERA_TEST_CITUS_URL names the coordinator of one.',
  },
]
