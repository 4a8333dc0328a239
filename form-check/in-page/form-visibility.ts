import type { FormVisibility } from '../src/live/probe-protocol.ts'

/**
 * Runs in the form's frame. IntersectionObserver v2 detects what covers, clips, filters or fades an element, in the surrounding page too.
 * The function is sent to the browser as text, so everything that it uses is inside it.
 */
export async function readFormVisibility(): Promise<FormVisibility> {
  const settings = JSON.parse(document.querySelector('#tessera')?.textContent ?? '{}') as { environment?: string; providerName?: string }
  const footer = document.querySelector('footer')
  // The form hides a link with the consent that it belongs to, which a page cannot do.
  const links = [...(footer?.querySelectorAll('a') ?? [])].filter((link) => link.closest('[hidden]') === null && link.checkVisibility())
  const visible = await Promise.all([footer, ...links].map((element) => (element === null ? Promise.resolve(false) : isVisible(element))))
  return {
    links: links.map((link, index) => ({ text: link.textContent.trim(), href: link.href, isSeen: visible[index + 1] ?? false })),
    providerName: settings.providerName ?? '',
    isFooterSeen: visible[0] ?? false,
    isTooLow: innerHeight > 0 && document.documentElement.scrollHeight > innerHeight + 40,
    isConsentTicked: [...document.querySelectorAll<HTMLInputElement>('input[type=checkbox]')].some(({ checked }) => checked),
    environment: settings.environment ?? '',
  }

  function isVisible(element: Element): Promise<boolean> {
    return new Promise((resolve) => {
      const options = { threshold: [0, 0.5, 1], trackVisibility: true, delay: 100 } as IntersectionObserverInit
      const observer = new IntersectionObserver((entries) => {
        const entry = entries.at(-1) as (IntersectionObserverEntry & { readonly isVisible?: boolean }) | undefined
        if (entry?.isVisible === true) finish(true)
      }, options)
      const finish = (result: boolean): void => {
        clearTimeout(timer)
        observer.disconnect()
        resolve(result)
      }
      // A busy machine may take seconds to draw the element. Only a hidden element uses up the whole time.
      const timer = setTimeout(() => finish(false), 5000)
      observer.observe(element)
    })
  }
}

/** Runs in the page around the form's frame: whether an ancestor clips a part of the frame where no cardholder can scroll to. */
export function isFrameClipped(frame: Element): boolean {
  const tolerancePx = 4
  const { top, bottom, left, right } = frame.getBoundingClientRect()
  for (let ancestor = frame.parentElement; ancestor !== null; ancestor = ancestor.parentElement) {
    const { overflowX, overflowY, clipPath } = getComputedStyle(ancestor)
    const box = ancestor.getBoundingClientRect()
    const isRoot = ancestor === document.body || ancestor === document.documentElement
    if (clipPath !== 'none') return true
    if (!isRoot && /hidden|clip/.test(overflowY) && (top < box.top - tolerancePx || bottom > box.bottom + tolerancePx)) return true
    if (!isRoot && /hidden|clip/.test(overflowX) && (left < box.left - tolerancePx || right > box.right + tolerancePx)) return true
  }
  return false
}
