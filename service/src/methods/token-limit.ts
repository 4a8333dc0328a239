import type { FineLimits } from '../limits/fine.ts'

import type { Call } from './method.ts'
import { expectTokenShape } from './token-shape.ts'

/** Counts a token before a method looks at what it stands for. */
export function countingToken<P extends { readonly token: string }, R>(
  limits: FineLimits,
  run: (params: P, call: Call) => Promise<R>,
): (params: P, call: Call) => Promise<R> {
  return async (params, call) => {
    expectTokenShape(params)
    limits.takeToken(params.token, call.caller.merchantId)
    return run(params, call)
  }
}
