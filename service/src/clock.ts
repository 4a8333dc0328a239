/** The time of the service; passed in by the composition, so that tests control it. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  moment(): ClockReading
  /** The same with a monotonic clock that runs on while the machine is suspended, where it has one. Not comparable with `moment()`. */
  momentSinceBoot?(): ClockReading
  /** Resolves after `ms`; rejects with the reason of the signal when it is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** A reading of two clocks, so that a jump of one cannot lengthen a code's lifetime. */
export interface ClockReading {
  /** Unix milliseconds. */
  readonly wallMs: number
  /** Milliseconds of a clock that never jumps; comparable only within one `bootId`. */
  readonly monotonicMs: number
  readonly bootId: string
}

export interface TimeoutOptions {
  readonly clock: Pick<Clock, 'sleep'>
  readonly timeoutMs: number
  /** Ends the wait early: the service is stopping. */
  readonly signal?: AbortSignal
  /** How long a call may still tell what became of it after it was aborted; its result counts then. Beyond `timeoutMs`; 0 when absent. */
  readonly graceMs?: number
}

/**
 * Calls an external system with a timeout. Returns `late` when there is no result in time or when `signal` is aborted; the signal that the call
 * received is aborted then, and a later result is ignored. An error within the time is thrown. A call that resolves immediately needs no timer.
 */
export async function withTimeout<T>(
  { clock, timeoutMs, signal = neverAborted, graceMs = 0 }: TimeoutOptions,
  late: T,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal.aborted) return late
  const ending = new AbortController()
  const pending = call(ending.signal)
  const atOnce = await valueAtOnce(pending)
  if (atOnce !== notYet) return atOnce
  return waitFor(pending, ending, { clock, timeoutMs, signal, graceMs }, late)
}

/** The value of a promise that is resolved already; otherwise `notYet`. */
export function valueAtOnce<T>(pending: Promise<T>): Promise<T | typeof notYet> {
  return Promise.race([pending, stillPending])
}

async function waitFor<T>(
  pending: Promise<T>,
  ending: AbortController,
  { clock, timeoutMs, signal, graceMs }: Required<TimeoutOptions>,
  late: T,
): Promise<T> {
  const end = () => ending.abort(waitIsOver)
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  const over = new AbortController()
  const tooLate = async (): Promise<T> => {
    await clock.sleep(timeoutMs, ending.signal).catch(ignoreEnd)
    if (graceMs === 0) return late
    end()
    await clock.sleep(graceMs, over.signal).catch(ignoreEnd)
    return late
  }
  try {
    return await Promise.race([pending, tooLate()])
  } finally {
    signal.removeEventListener('abort', end)
    over.abort(waitIsOver)
    end()
  }
}

function ignoreEnd(): void {}

/** How long calls that were aborted are waited for, where their result counts. */
export const callGraceMs = 300

export const notYet = Symbol('not yet')
/** Loses a race against a promise that is already resolved, and wins every other race. */
const stillPending = Promise.resolve(notYet)
const neverAborted = new AbortController().signal
const waitIsOver = new Error('the wait is over')
