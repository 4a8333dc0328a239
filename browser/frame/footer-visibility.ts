export type FooterVisibility = 'visible' | 'hidden' | 'unverified'

/**
 * Watches whether the cardholder can see the footer. IntersectionObserver v2, where the browser has it, detects overlays, filters and
 * opacity. In other browsers only a frame that is too low for its content is detected, and everything else is `unverified`: a frame does not
 * know whether the page around it is scrolled, or clips it. The SDK in the page checks that.
 */
export function watchFooter(footer: Element, onChange: (visibility: FooterVisibility) => void): void {
  let last: FooterVisibility | null = null
  let entry: IntersectionObserverEntry | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const schedule = (): void => {
    clearTimeout(timer)
    const wasTooLow = isTooLow()
    timer = setTimeout(() => (!wasTooLow && isTooLow() ? schedule() : report(wasTooLow && isTooLow())), wasTooLow ? resizeWaitMs : settleMs)
  }
  const report = (isFrameTooLow: boolean): void => {
    const visibility = isFrameTooLow ? 'hidden' : entry === null ? 'unverified' : visibilityOf(entry)
    if (visibility === last) return
    last = visibility
    onChange(visibility)
  }
  const options = { threshold: [0, 0.5, 1], trackVisibility: true, delay: 100 } as IntersectionObserverInit
  new IntersectionObserver((entries) => {
    entry = entries.at(-1) ?? entry
    schedule()
  }, options).observe(footer)
  addEventListener('resize', schedule)
}

const settleMs = 300
/** How long a page may take to give the frame the height that it requested. */
const resizeWaitMs = 2000

/** A footer that is scrolled out of view is not hidden. Only one that is entirely on the screen and still not visible is. */
function visibilityOf(entry: IntersectionObserverEntry & { readonly isVisible?: boolean }): FooterVisibility {
  if (entry.isVisible === true) return 'visible'
  return entry.isVisible === false && entry.intersectionRatio === 1 ? 'hidden' : 'unverified'
}

/** Whether the frame is lower than its content. */
function isTooLow(): boolean {
  return innerHeight > 0 && document.documentElement.scrollHeight > innerHeight + 40
}
