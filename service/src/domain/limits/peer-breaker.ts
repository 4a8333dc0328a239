/**
 * The breaker of one outside system: opens when most of the last calls failed or are slow, and closes by itself when one call succeeds after a pause.
 * Unlike the breakers of limits, which stop callers, it protects the service and its other callers from a system that does not respond.
 */
export interface PeerBreaker {
  readonly state: PeerBreakerState
  /** Whether the system does not respond: the breaker is not closed, three calls in a row failed, or none has succeeded for half a minute since one failed. */
  readonly isFailing: boolean
  /** How often a call succeeded for the first time, or for the first time after the system was failing. */
  readonly recoveries: number
  /** Milliseconds until a call may be made; 0 when it may be made now. */
  waitMs(): number
  /** Begins a call. Only after `waitMs()` was 0. */
  begin(): PeerBreakerCall
}

/** `half_open`: the pause is over, and one call at a time finds out whether the system responds again. */
export type PeerBreakerState = 'closed' | 'half_open' | 'open'

/** `ignored`: the outcome says nothing about the system. */
export type PeerCallOutcome = 'succeeded' | 'failed' | 'ignored'

export interface PeerBreakerCall {
  end(outcome: PeerCallOutcome): void
}

export interface PeerBreakerSettings {
  /** A call that takes longer counts as failed as soon as it does, so that the breaker need not wait for its timeout. */
  readonly slowMs: number
  /** The first pause. It doubles with each failed attempt to close, to six times at most. */
  readonly pauseMs: number
}

export interface PeerBreakerOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly settings: PeerBreakerSettings
  /** Called when it opens, and when it closes. */
  readonly onChange: (state: 'open' | 'closed') => void
}

/** For a system whose failures are chosen by its user, such as the scenarios of the sandbox. */
export const closedPeerBreaker: PeerBreaker = Object.freeze({
  state: 'closed',
  isFailing: false,
  recoveries: 0,
  waitMs: () => 0,
  begin: () => ({ end: () => undefined }),
})

/**
 * Judges the last calls and not a span of time, so that it needs no minimum rate: of a system that stops responding, no call comes to an end but those
 * that become slow.
 */
export function makePeerBreaker({ now, settings: { slowMs, pauseMs }, onChange }: PeerBreakerOptions): PeerBreaker {
  /** Calls that are not judged yet, oldest first. */
  const pending = new Set<PendingCall>()
  let judged: JudgedCall[] = []
  let state: PeerBreakerState = 'closed'
  let probe: PendingCall | null = null
  let openUntil = 0
  let currentPauseMs = pauseMs
  let failuresInRow = 0
  /** When the first of them ended. */
  let failingSince = 0
  let hasSucceeded = false
  let recoveries = 0

  return Object.freeze({
    get state() {
      judgeSlowCalls()
      return state
    },
    get isFailing() {
      judgeSlowCalls()
      return isFailing()
    },
    get recoveries() {
      return recoveries
    },
    waitMs() {
      judgeSlowCalls()
      if (state === 'open') return Math.max(0, openUntil - now())
      return probe === null ? 0 : Math.max(minWaitMs, probe.startedAt + slowMs - now())
    },
    begin() {
      const call: PendingCall = { startedAt: now() }
      if (state !== 'closed') {
        state = 'half_open'
        probe = call
      }
      pending.add(call)
      return { end: (outcome: PeerCallOutcome) => end(call, outcome) }
    },
  })

  function end(call: PendingCall, outcome: PeerCallOutcome): void {
    judgeSlowCalls()
    // False: it was slow, or began before the breaker opened.
    if (pending.delete(call)) judge(call, outcome)
  }

  function judgeSlowCalls(): void {
    for (const call of pending) {
      if (now() - call.startedAt < slowMs) return
      pending.delete(call)
      judge(call, 'failed')
    }
  }

  function judge(call: PendingCall, outcome: PeerCallOutcome): void {
    if (outcome !== 'ignored') countInRow(outcome)
    if (call === probe) {
      probe = null
      if (outcome === 'succeeded') close()
      if (outcome === 'failed') open(Math.min(currentPauseMs * 2, pauseMs * maxPauses))
    } else if (outcome !== 'ignored' && state === 'closed') {
      judged = [...judged, { at: now(), isFailure: outcome === 'failed' }].slice(-judgedMax)
      // Not by a call that succeeded, which only made their number large enough.
      if (outcome === 'failed' && haveMostFailed()) open(pauseMs)
    }
  }

  function countInRow(outcome: 'succeeded' | 'failed'): void {
    if (outcome === 'failed') {
      if (failuresInRow === 0) failingSince = now()
      failuresInRow += 1
      return
    }
    if (!hasSucceeded || isFailing()) recoveries += 1
    hasSucceeded = true
    failuresInRow = 0
  }

  function isFailing(): boolean {
    const isLong = failuresInRow > 0 && now() - failingSince >= failingAfterMs
    return state !== 'closed' || failuresInRow >= failingAfter || isLong
  }

  function haveMostFailed(): boolean {
    const recent = judged.filter(({ at }) => now() - at < judgedForMs)
    return recent.length >= judgedMin && recent.filter(({ isFailure }) => isFailure).length * 2 >= recent.length
  }

  function open(forMs: number): void {
    const wasClosed = state === 'closed'
    state = 'open'
    currentPauseMs = forMs
    openUntil = now() + forMs
    forgetCalls()
    if (wasClosed) onChange('open')
  }

  function close(): void {
    state = 'closed'
    currentPauseMs = pauseMs
    forgetCalls()
    onChange('closed')
  }

  /** Calls of before say nothing about the system as it is now. */
  function forgetCalls(): void {
    pending.clear()
    judged = []
  }
}

interface PendingCall {
  readonly startedAt: number
}

interface JudgedCall {
  readonly at: number
  readonly isFailure: boolean
}

/** It opens when at least half of the last 20 calls of half a minute failed, and of at least 10. */
const judgedMax = 20
const judgedMin = 10
const judgedForMs = 30_000
const maxPauses = 6
const failingAfter = 3
const failingAfterMs = 30_000
/** A caller that comes back sooner would find the attempt to close still in progress. */
const minWaitMs = 100
