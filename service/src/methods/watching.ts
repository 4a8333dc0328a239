import type { FailureBreaker } from '../limits/failures.ts'

import type { Call } from './method.ts'

/** Has the breaker of failures watch a method. */
export function watching<P, R>(breaker: FailureBreaker, run: (params: P, call: Call) => Promise<R>): (params: P, call: Call) => Promise<R> {
  return (params, call) => breaker.watch(call.caller.merchantId, () => run(params, call))
}
