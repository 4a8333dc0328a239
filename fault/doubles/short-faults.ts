export * from '../../service/src/adapters/sandbox/faults.ts'

/** Longer than the network timeout of these runs (0.5 s), and longer than their leases. */
const shortLateApprovalMs = 4000

export { shortLateApprovalMs as lateApprovalMs }
