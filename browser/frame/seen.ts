export type Seen = 'visible' | 'hidden' | 'unverified'

/**
 * Watches whether the cardholder can see `part`: by IntersectionObserver v2 where there is one, which knows overlays, filters and opacity. Elsewhere a frame
 * that is too small for its own content is found by geometry, and the rest stays `unverified`. What is returned is called when a card is sent: if by then
 * no line of `part` was ever on the screen, it is hidden too, for the page may cut it off.
 */
export function watchSeen(part: Element, tell: (state: Seen) => void): () => void {
  let last: Seen | null = null
  let wasShown = false
  let entry: IntersectionObserverEntry | null = null
  let waiting: ReturnType<typeof setTimeout> | undefined
  // The page needs a moment to give the frame the height that it asked for.
  const judge = (): void => {
    clearTimeout(waiting)
    waiting = setTimeout(settle, settleMs)
  }
  const settle = (): void => say(isClipped() ? 'hidden' : entry === null ? 'unverified' : judgeEntry(entry))
  const say = (state: Seen): void => {
    if (state === last) return
    last = state
    tell(state)
  }
  const options = { threshold: [0, 0.5, 1], trackVisibility: true, delay: 100 } as IntersectionObserverInit
  new IntersectionObserver((entries) => {
    entry = entries.at(-1) ?? entry
    wasShown ||= entry?.isIntersecting === true
    judge()
  }, options).observe(part)
  addEventListener('resize', judge)
  return () => {
    if (entry !== null && !wasShown) say('hidden')
  }
}

const settleMs = 300

/** Out of sight because the page is scrolled is no trick: only what is wholly on the screen and yet not seen is hidden. */
function judgeEntry(entry: IntersectionObserverEntry & { readonly isVisible?: boolean }): Seen {
  if (entry.isVisible === true) return 'visible'
  return entry.isVisible === false && entry.intersectionRatio === 1 ? 'hidden' : 'unverified'
}

function isClipped(): boolean {
  return innerHeight > 0 && document.documentElement.scrollHeight > innerHeight + 40
}
