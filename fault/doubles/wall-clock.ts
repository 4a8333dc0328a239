interface WallClock {
  now(): number
  moment(): { wallMs: number; monotonicMs: number; bootId: string }
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** A clock whose monotonic part is the wall clock too, as if lifetimes were measured by Date.now(). */
function makeWallClock(): WallClock {
  return {
    now: () => Date.now(),
    moment: () => ({ wallMs: Date.now(), monotonicMs: Date.now(), bootId: 'one' }),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, ms)
        signal.addEventListener('abort', () => {
          clearTimeout(timer)
          reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
        })
      }),
  }
}

function systemNow(): number {
  return Date.now()
}

export { makeWallClock as makeSystemClock, systemNow }
