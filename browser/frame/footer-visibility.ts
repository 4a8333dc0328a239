const intervalMs = 1000
/** Much longer than the 500 ms for which Chromium remembers that a frame has moved: on a busy phone, frames and messages come late. */
const stillMs = 1500
/** After this time a footer of which the browser does not say that it is visible is covered. */
const lookMs = 400
/** How long a page may take to give the frame the height that it requested. */
const resizeWaitMs = 2000

export type FooterVisibility = 'visible' | 'hidden' | 'unverified'

export interface FooterWatch {
  /** Looks now: the cardholder has pressed something, so that no tap can be lost any more. */
  look(): void
  /** Puts off the next look: the frame moves, or is being touched. */
  postpone(): void
}

/**
 * Watches whether the cardholder can see the footer. IntersectionObserver v2, where the browser has it, detects overlays, filters and
 * opacity. In other browsers only a frame that is too low for its content is detected, and everything else is `unverified`: a frame does not
 * know whether the page around it is scrolled, or clips it. The SDK in the page checks that.
 *
 * While such an observer exists, Chromium discards every tap on a frame that has moved in the last 500 ms. So it exists only for a moment
 * after a press, and once a second while nothing moves (docs/decisions/0079-looks-at-the-footer.md).
 */
export function watchFooter(footer: Element, onChange: (visibility: FooterVisibility) => void): FooterWatch {
  let last: FooterVisibility | null = null
  let entry: VisibilityEntry | undefined
  let observer: IntersectionObserver | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let movedAtMs = -stillMs
  let tooLowSinceMs: number | null = null
  const stop = (): void => {
    clearTimeout(timer)
    observer?.disconnect()
    observer = null
  }
  const look = (): void => {
    stop()
    observer = new IntersectionObserver((entries) => {
      entry = entries.at(-1)
      // The first value is `false` for a footer in full view: Chromium has not asked the page's process yet.
      if (visibilityOf(entry) !== 'hidden') report()
    }, lookOptions)
    observer.observe(footer)
    timer = setTimeout(report, lookMs)
  }
  const report = (): void => {
    stop()
    noteHeight()
    const isFrameTooLow = tooLowSinceMs !== null && performance.now() - tooLowSinceMs >= resizeWaitMs
    const visibility = isFrameTooLow ? 'hidden' : visibilityOf(entry)
    if (visibility === last) return
    last = visibility
    onChange(visibility)
  }
  const noteHeight = (): void => {
    tooLowSinceMs = isTooLow() ? (tooLowSinceMs ?? performance.now()) : null
  }
  const postpone = (): void => {
    movedAtMs = performance.now()
    stop()
  }
  addEventListener('resize', noteHeight)
  for (const type of ['pointerdown', 'pointermove', 'pointercancel']) addEventListener(type, postpone, { passive: true })
  setInterval(() => {
    if (!document.hidden && observer === null && performance.now() - movedAtMs >= stillMs) look()
  }, intervalMs)
  look()
  return { look, postpone }
}

type VisibilityEntry = IntersectionObserverEntry & { readonly isVisible?: boolean }

/** Of the footer, without fractions of pixels at its edges. */
const wholeRatio = 0.99
const lookOptions = { threshold: [0, 0.5, 1], trackVisibility: true, delay: 100 } as IntersectionObserverInit

/**
 * A footer of which a part is out of view may be scrolled or clipped, also when Chromium says that it is visible: that is true of the part on the
 * screen, however small. Only one that is entirely on the screen and still not visible is hidden.
 */
function visibilityOf(entry: VisibilityEntry | undefined): FooterVisibility {
  if (entry?.isVisible === undefined || entry.intersectionRatio < wholeRatio) return 'unverified'
  return entry.isVisible ? 'visible' : 'hidden'
}

/** Whether the frame is lower than its content. */
function isTooLow(): boolean {
  return innerHeight > 0 && document.documentElement.scrollHeight > innerHeight + 40
}
