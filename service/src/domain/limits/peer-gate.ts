import type { PeerBreaker, PeerBreakerState, PeerCallOutcome } from './peer-breaker.ts'
import type { PlacePool, PlaceRefusal } from './place-pool.ts'

/** The kinds of outside systems; each has places of its own. */
export type PeerKind = 'network' | 'sms' | 'holder' | 'merchant_endpoint'

/** What every call of an outside system passes: its breaker, and the places of calls in flight. */
export interface PeerGate {
  readonly breakerState: PeerBreakerState
  /** As of its breaker. */
  readonly isFailing: boolean
  readonly recoveries: number
  readonly freePlaces: number
  /** As `refusalMs`, but only a question: nothing counts as refused. `merchantId` null: the service itself. */
  waitMs(merchantId: string | null): number
  /**
   * 0 if a call would be made now. Otherwise the call counts as refused, and may be tried again after so many milliseconds. Ask before anything is stored
   * for the call: a refusal then costs nothing.
   */
  refusalMs(merchantId: string): number
  /**
   * Makes a call. It holds a place until it ends, so `run` must bound its time. Throws `PeerUnavailable` without having called. An error of `run` counts
   * as a failure of the system. `merchantId` null: the service itself, which has no share.
   */
  call<T>(merchantId: string | null, run: () => Promise<T>, judge: (result: T) => PeerCallOutcome): Promise<T>
  /** Runs what only sometimes calls the system: in a place, but whatever the state of the breaker is. */
  hold<T>(merchantId: string, run: () => Promise<T>): Promise<T>
}

/** The outside system was not called: its breaker is open, or its places are taken. */
export class PeerUnavailable extends Error {
  override readonly name = 'PeerUnavailable'
  readonly retryAfterMs: number

  constructor(kind: PeerKind, { reason, retryAfterMs }: { readonly reason: PeerRefusalReason; readonly retryAfterMs: number }) {
    super(`the ${kind} was not called: ${reason}`)
    this.retryAfterMs = retryAfterMs
  }
}

/** `open`: the breaker is open. */
export type PeerRefusalReason = PlaceRefusal | 'open'

export interface PeerRefusal {
  readonly kind: PeerKind
  readonly reason: PeerRefusalReason
  /** Null: a call of the service itself. */
  readonly merchantId: string | null
}

export interface PeerGateOptions {
  readonly kind: PeerKind
  readonly places: PlacePool
  readonly breaker: PeerBreaker
  readonly onRefused: (refusal: PeerRefusal) => void
}

export function makePeerGate({ kind, places, breaker, onRefused }: PeerGateOptions): PeerGate {
  return Object.freeze({
    get breakerState() {
      return breaker.state
    },
    get isFailing() {
      return breaker.isFailing
    },
    get recoveries() {
      return breaker.recoveries
    },
    get freePlaces() {
      return places.max - places.inFlight
    },
    waitMs: (merchantId: string | null) => findRefusal(merchantId)?.retryAfterMs ?? 0,
    refusalMs: (merchantId: string) => refuseIf(merchantId, findRefusal(merchantId))?.retryAfterMs ?? 0,
    async call<T>(merchantId: string | null, run: () => Promise<T>, judge: (result: T) => PeerCallOutcome): Promise<T> {
      const refusal = refuseIf(merchantId, findRefusal(merchantId))
      if (refusal !== null) throw new PeerUnavailable(kind, refusal)
      const leave = places.take(merchantId)
      const call = breaker.begin()
      try {
        const result = await run()
        call.end(judge(result))
        return result
      } catch (err) {
        call.end('failed')
        throw err
      } finally {
        leave()
      }
    },
    async hold<T>(merchantId: string, run: () => Promise<T>): Promise<T> {
      const refusal = refuseIf(merchantId, findPlaceRefusal(merchantId))
      if (refusal !== null) throw new PeerUnavailable(kind, refusal)
      const leave = places.take(merchantId)
      try {
        return await run()
      } finally {
        leave()
      }
    },
  })

  function findRefusal(merchantId: string | null): Refusal | null {
    const waitMs = breaker.waitMs()
    return waitMs > 0 ? { reason: 'open', retryAfterMs: waitMs } : findPlaceRefusal(merchantId)
  }

  function findPlaceRefusal(merchantId: string | null): Refusal | null {
    const reason = places.findRefusal(merchantId)
    return reason === null ? null : { reason, retryAfterMs: retryAfterFullMs }
  }

  function refuseIf(merchantId: string | null, refusal: Refusal | null): Refusal | null {
    if (refusal !== null) onRefused({ kind, reason: refusal.reason, merchantId })
    return refusal
  }
}

interface Refusal {
  readonly reason: PeerRefusalReason
  readonly retryAfterMs: number
}

const retryAfterFullMs = 1000
