import type * as real from '../../service/src/domain/webhooks/endpoint-pace.ts'

/** An endpoint may take all places, and is never down. */
function makeNoPace(maxConcurrent: number): real.EndpointPace {
  return { isDown: () => false, allowed: () => maxConcurrent, record: () => false }
}

export { makeNoPace as makeEndpointPace }
export { toEndpointAnswer } from '../../service/src/domain/webhooks/endpoint-pace.ts'
export type { EndpointAnswer, EndpointPace } from '../../service/src/domain/webhooks/endpoint-pace.ts'
