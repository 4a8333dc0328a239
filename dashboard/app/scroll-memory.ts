/** How far the page of each history entry was scrolled. The rows that were there then are stored by `usePagedList`. */
const positions = new Map<string, number>()

export function rememberScroll(entry: string): void {
  positions.delete(entry)
  positions.set(entry, window.scrollY)
  const [oldest] = positions.keys()
  if (positions.size > entriesMax && oldest !== undefined) positions.delete(oldest)
}

/** Scrolls to where the entry was, as soon as its page is high enough again; gives up when the user scrolls, and after some seconds. */
export function restoreScroll(entry: string): void {
  const wanted = positions.get(entry) ?? 0
  const endsAt = performance.now() + giveUpMs
  let isOver = false
  const giveUp = (): void => void (isOver = true)
  for (const name of inputEvents) addEventListener(name, giveUp, { once: true, passive: true })
  let heldSince = performance.now()
  const step = (): void => {
    const now = performance.now()
    if (isOver || now > endsAt) return
    if (Math.abs(window.scrollY - wanted) > 1) heldSince = now
    window.scrollTo(0, wanted)
    // The page that is shown when this begins is still the one before, and what is rendered later moves the rows.
    if (now - heldSince < settleMs) requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
}

const inputEvents = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const
const entriesMax = 50
const giveUpMs = 3000
/** So long the position is held since it was reached, while the page is being rendered. */
const settleMs = 250
