import type { WebhookAttemptOutcome } from './attempt-delivery.ts'

/**
 * How many deliveries of one endpoint may be in progress at a time, and whether it is asked at all. The number grows by one with each delivery that the
 * endpoint answers, later by one with each round of them, and is halved when it does not answer (additive increase, multiplicative decrease, as in
 * TCP). An endpoint that does not answer three times in a row is down: it is probed with one delivery at a time, and everything else stays due.
 */
export interface EndpointPace {
  isDown(): boolean
  /** Deliveries that may be in progress at `monotonicMs`; for an endpoint that is down 1 when its next probe is due, else 0. */
  allowed(monotonicMs: number): number
  /** Records the end of an attempt that began at `startedAt`. Returns true when the endpoint answers again after it was down. */
  record(outcome: EndpointAnswer, attempt: { readonly startedAt: number; readonly endedAt: number }): boolean
}

/** `none`: the endpoint did not answer, or with a status that says that it cannot; `neutral`: it was not asked. */
export type EndpointAnswer = 'answered' | 'refused' | 'none' | 'neutral'

export function makeEndpointPace(maxConcurrent: number): EndpointPace {
  let concurrent = Math.min(initialConcurrent, maxConcurrent)
  /** From here on the number grows slowly. */
  let threshold = maxConcurrent
  let failures = 0
  let reducedAt = -Infinity
  let probeAt = 0
  return Object.freeze({ isDown, allowed, record })

  function isDown(): boolean {
    return failures >= failuresUntilDown
  }

  function allowed(monotonicMs: number): number {
    if (!isDown()) return Math.floor(concurrent)
    return monotonicMs >= probeAt ? 1 : 0
  }

  function record(outcome: EndpointAnswer, { startedAt, endedAt }: { readonly startedAt: number; readonly endedAt: number }): boolean {
    if (outcome === 'neutral') return false
    if (outcome === 'answered') return recordAnswer()
    failures += 1
    if (isDown()) {
      const doubled = initialProbeMs * 2 ** Math.min(failures - failuresUntilDown, 10)
      probeAt = endedAt + Math.min(doubled, outcome === 'refused' ? maxRefusedProbeMs : maxProbeMs)
    }
    // Attempts that were in progress together fail together: that halves the number once.
    if (startedAt >= reducedAt) {
      reducedAt = endedAt
      threshold = Math.max(1, concurrent / 2)
      concurrent = threshold
    }
    return false
  }

  function recordAnswer(): boolean {
    const isBack = isDown()
    failures = 0
    if (isBack) threshold = maxConcurrent
    concurrent = Math.min(maxConcurrent, concurrent + (concurrent < threshold ? 1 : 1 / concurrent))
    return isBack
  }
}

/** What an attempt says about its endpoint. A receiver that rejects an event (4xx) answers: its other events do not wait for that one. */
export function toEndpointAnswer({ outcome, status }: WebhookAttemptOutcome): EndpointAnswer {
  if (outcome === 'delivered') return 'answered'
  if (outcome === 'refused') return status >= 500 || status === 408 || status === 429 ? 'refused' : 'answered'
  return outcome === 'late' || outcome === 'unreachable' ? 'none' : 'neutral'
}

const initialConcurrent = 2
const failuresUntilDown = 3
const initialProbeMs = 500
/** The longest wait between two probes of an endpoint that is silent. */
const maxProbeMs = 10_000
/** The same for one that answers that it cannot. */
const maxRefusedProbeMs = 2000
