export * from '../../service/src/sandbox/faults.ts'

/** Longer than a network is waited for in these runs (0.5 s), and than a lease of theirs. */
export const lateApprovalMs = 4000
