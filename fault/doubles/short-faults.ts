export * from '../../service/src/adapters/sandbox/faults.ts'

/** Longer than the network timeout of these runs (0.5 s), and longer than their leases. */
export const lateApprovalMs = 4000
