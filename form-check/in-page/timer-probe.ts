import type { ProbeNames, TimerProbe } from '../src/live/probe-protocol.ts'

/**
 * Runs in every document before the page's own scripts, and knows how long the page still waits for a timer: inputs appear and digits are
 * sent after timers. Like the page probe it is sent to the browser as text.
 */
export function installTimerProbe({ timers: key }: ProbeNames): void {
  if (key in globalThis) return
  const pending = new Map<number, number>()
  const repeating = new Map<number, { tickedAt: number; dueAt: number }>()
  let depth = 0
  let actedAt = 0

  hookTimeouts()
  hookIntervals()
  for (const name of ['keydown', 'click']) addEventListener(name, () => (actedAt = performance.now()), true)
  const probe: TimerProbe = { pendingMs }
  Object.defineProperty(globalThis, key, { value: probe })

  /** A chain of timers is followed three steps. */
  function hookTimeouts(): void {
    const { setTimeout: set, clearTimeout: clear } = globalThis
    const setTracked = (handler: unknown, delayMs?: number, ...args: unknown[]): number => {
      if (typeof handler !== 'function') return set(handler as () => void, delayMs, ...args)
      const depthHere = depth
      const id = set(() => {
        pending.delete(id)
        depth = depthHere + 1
        try {
          Reflect.apply(handler, globalThis, args)
        } finally {
          depth = 0
        }
      }, delayMs) as unknown as number
      if (depthHere < 3) pending.set(id, performance.now() + (delayMs ?? 0))
      return id
    }
    globalThis.setTimeout = setTracked as unknown as typeof setTimeout
    globalThis.clearTimeout = ((id?: number) => {
      if (id !== undefined) pending.delete(id)
      clear(id)
    }) as typeof clearTimeout
  }

  /** An interval looks at what was typed when it ticks next: it is waited for once after the load, and once after each key or press. */
  function hookIntervals(): void {
    const { setInterval: set, clearInterval: clear } = globalThis
    const setTracked = (handler: unknown, periodMs = 0, ...args: unknown[]): number => {
      if (typeof handler !== 'function') return set(handler as () => void, periodMs, ...args)
      const interval = { tickedAt: -1, dueAt: performance.now() + periodMs }
      const id = set(() => {
        interval.tickedAt = performance.now()
        interval.dueAt = interval.tickedAt + periodMs
        Reflect.apply(handler, globalThis, args)
      }, periodMs) as unknown as number
      repeating.set(id, interval)
      return id
    }
    globalThis.setInterval = setTracked as unknown as typeof setInterval
    globalThis.clearInterval = ((id?: number) => {
      if (id !== undefined) repeating.delete(id)
      clear(id)
    }) as typeof clearInterval
  }

  function pendingMs(): number {
    if (document.readyState !== 'complete') return 1000
    const awaited = [...repeating.values()].filter(({ tickedAt }) => tickedAt < actedAt)
    return [...pending.values(), ...awaited.map(({ dueAt }) => dueAt)].reduce((most, at) => Math.max(most, at - performance.now()), 0)
  }
}
