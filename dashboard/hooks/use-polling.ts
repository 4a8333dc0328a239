import { useEffect } from 'preact/hooks'

/**
 * Calls `refetch` at an interval while somebody is watching: never in a hidden tab, and not for longer than a few minutes after the last input. A page that
 * was left open must not keep its session alive.
 */
export function usePolling(refetch: () => void, intervalMs: number): void {
  useEffect(() => {
    let lastInputAt = Date.now()
    const onInput = (): void => void (lastInputAt = Date.now())
    const timer = setInterval(() => {
      if (!document.hidden && Date.now() - lastInputAt < maxIdleMs) refetch()
    }, intervalMs)
    for (const name of inputEvents) addEventListener(name, onInput)
    return () => {
      clearInterval(timer)
      for (const name of inputEvents) removeEventListener(name, onInput)
    }
  }, [refetch, intervalMs])
}

const inputEvents = ['pointerdown', 'keydown', 'wheel'] as const
const maxIdleMs = 5 * 60_000
