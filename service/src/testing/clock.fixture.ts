import type { Clock, ClockReading } from '../clock.ts'

/** A clock that stands until it is moved. Sleeps end when it reaches their time. */
export interface HandClock extends Clock {
  /** Advances both clocks by `ms`. */
  advance(ms: number): void
  /** Suspends the machine: the monotonic clock stands, unlike the wall clock and the time since the boot. */
  suspend(ms: number): void
  /** Moves only the wall clock, as when an administrator sets it. */
  jump(ms: number): void
  /** Simulates a reboot: another start of the monotonic clock and another boot id. */
  reboot(): void
  /** Resolves when a sleep of exactly `ms` has started. */
  untilSleeping(ms: number): Promise<void>
  /** Whether a sleep of exactly `ms` is in progress. */
  isSleeping(ms: number): boolean
}

interface Sleeper {
  readonly ms: number
  readonly wakeAt: number
  wake(): void
}

/**
 * A hand clock whose short sleeps end in real time too, until `end` is called: for what waits before the test is able to move the clock. Its time stands all
 * the same. After half a minute of them they throw, so that whoever waits for what does not come fails instead of sleeping on.
 */
export function withRealSleeps(clock: HandClock): { readonly clock: HandClock; end(): void } {
  const timers = new Set<NodeJS.Timeout>()
  let leftMs = 30_000
  let isOver = false
  return {
    clock: { ...clock, sleep: (ms, signal) => (isOver || ms > longestRealMs ? clock.sleep(ms, signal) : sleepReally(ms, signal)) },
    end() {
      isOver = true
      timers.forEach(clearTimeout)
    },
  }

  async function sleepReally(ms: number, signal: AbortSignal): Promise<void> {
    leftMs -= ms
    if (leftMs < 0) throw new Error('nobody is able to move the clock yet, and its sleeps took 30 s')
    const woken = new AbortController()
    const timer = setTimeout(() => woken.abort(), ms)
    timers.add(timer)
    try {
      await clock.sleep(ms, AbortSignal.any([signal, woken.signal]))
    } catch (err) {
      if (!woken.signal.aborted || signal.aborted) throw err
    } finally {
      clearTimeout(timer)
      timers.delete(timer)
    }
  }
}

/** The pause between two attempts to reach a store. What sleeps longer is a background job. */
const longestRealMs = 1000

export function makeHandClock(startMs = Date.UTC(2026, 10, 21, 9)): HandClock {
  let wallMs = startMs
  let monotonicMs = 1000
  let suspendedMs = 0
  let boots = 1
  const sleepers = new Set<Sleeper>()
  const watchers = new Set<() => void>()

  return {
    now: () => wallMs,
    moment: (): ClockReading => ({ wallMs, monotonicMs, bootId: `boot-${boots}` }),
    momentSinceBoot: (): ClockReading => ({ wallMs, monotonicMs: monotonicMs + suspendedMs, bootId: `boot-${boots}` }),
    suspend(ms) {
      wallMs += ms
      suspendedMs += ms
    },
    sleep,
    advance(ms) {
      wallMs += ms
      monotonicMs += ms
      for (const sleeper of sleepers) if (sleeper.wakeAt <= monotonicMs) sleeper.wake()
    },
    jump(ms) {
      wallMs += ms
    },
    reboot() {
      boots += 1
      monotonicMs = 500
      suspendedMs = 0
    },
    isSleeping,
    untilSleeping(ms) {
      return new Promise((resolve) => {
        const look = () => {
          if (!isSleeping(ms)) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      })
    },
  }

  function isSleeping(ms: number): boolean {
    for (const sleeper of sleepers) if (sleeper.ms === ms) return true
    return false
  }

  function sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const leave = () => {
        sleepers.delete(sleeper)
        signal.removeEventListener('abort', abort)
      }
      const abort = () => {
        leave()
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
      }
      const sleeper: Sleeper = {
        ms,
        wakeAt: monotonicMs + ms,
        wake() {
          leave()
          resolve()
        },
      }
      sleepers.add(sleeper)
      signal.addEventListener('abort', abort)
      for (const look of watchers) look()
    })
  }
}
