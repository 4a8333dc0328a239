import { useEffect } from 'preact/hooks'

/**
 * Runs `again` every so often while somebody looks: not in a hidden tab, and no longer than a few minutes after the last key or click, so that
 * a page that was left open does not keep its session alive.
 */
export function useLive(again: () => void, everyMs: number): void {
  useEffect(() => {
    let touchedAt = Date.now()
    const touch = (): void => void (touchedAt = Date.now())
    const round = setInterval(() => {
      if (!document.hidden && Date.now() - touchedAt < watchedMs) again()
    }, everyMs)
    for (const name of watched) addEventListener(name, touch)
    return () => {
      clearInterval(round)
      for (const name of watched) removeEventListener(name, touch)
    }
  }, [again, everyMs])
}

const watched = ['pointerdown', 'keydown', 'wheel'] as const
const watchedMs = 5 * 60_000
