import type { StoreTimeLimits } from '../../service/src/store/time-limits.ts'

export * from '../../service/src/store/time-limits.ts'
export { unlimited as storeTimeLimits, unlimitedDeadline as readDeadline }

const minute = 60_000

/** Limits that no experiment reaches. */
const unlimited: StoreTimeLimits = { stuckMs: minute, queueMs: minute, readMs: minute, writeMs: minute }

function unlimitedDeadline(): number {
  return performance.now() + minute
}
