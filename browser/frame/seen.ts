export type Seen = 'visible' | 'hidden' | 'unverified'

/**
 * Watches whether the cardholder can see `part`: by IntersectionObserver v2 where there is one, which knows overlays, filters and opacity. Elsewhere a frame
 * that is too small for its own content is found by geometry, and the rest stays `unverified`: a frame does
 * not know whether the page around it is scrolled, or cuts it off, which the page's own side looks for.
 */
export function watchSeen(part: Element, tell: (state: Seen) => void): void {
  let last: Seen | null = null
  let entry: IntersectionObserverEntry | null = null
  let waiting: ReturnType<typeof setTimeout> | undefined
  const judge = (): void => {
    clearTimeout(waiting)
    const isLow = isClipped()
    waiting = setTimeout(() => (!isLow && isClipped() ? judge() : settle(isLow && isClipped())), isLow ? grantMs : settleMs)
  }
  const settle = (isLow: boolean): void => say(isLow ? 'hidden' : entry === null ? 'unverified' : judgeEntry(entry))
  const say = (state: Seen): void => {
    if (state === last) return
    last = state
    tell(state)
  }
  const options = { threshold: [0, 0.5, 1], trackVisibility: true, delay: 100 } as IntersectionObserverInit
  new IntersectionObserver((entries) => {
    entry = entries.at(-1) ?? entry
    judge()
  }, options).observe(part)
  addEventListener('resize', judge)
}

const settleMs = 300
/** How long a page may take to give the frame the height that it asked for. */
const grantMs = 2000

/** Out of sight because the page is scrolled is no trick: only what is wholly on the screen and yet not seen is hidden. */
function judgeEntry(entry: IntersectionObserverEntry & { readonly isVisible?: boolean }): Seen {
  if (entry.isVisible === true) return 'visible'
  return entry.isVisible === false && entry.intersectionRatio === 1 ? 'hidden' : 'unverified'
}

function isClipped(): boolean {
  return innerHeight > 0 && document.documentElement.scrollHeight > innerHeight + 40
}
