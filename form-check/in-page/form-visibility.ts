import type { FooterBox, FormVisibility } from '../src/live/probe-protocol.ts'

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
  const { top = 0, bottom = 0, left = 0, right = 0 } = footer?.getBoundingClientRect() ?? {}
  return {
    footer: { top, bottom, left, right },
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

/**
 * Runs in the page around the form's frame: whether it clips a part of the frame where no cardholder can scroll to, masks the frame, or leaves
 * out the footer with a clip path. The frame itself sees no mask, and takes a clip path for the box around it
 * (docs/decisions/0079-looks-at-the-footer.md).
 */
export function isFrameClipped(frame: Element, footer: FooterBox): boolean {
  const tolerancePx = 4
  const pointsPerSide = 9
  const { top, bottom, left, right, width } = frame.getBoundingClientRect()
  let hasClipPath = false
  for (let element: Element | null = frame; element !== null; element = parentOf(element)) {
    const { overflowX, overflowY, clipPath, maskImage, maskBorderSource } = getComputedStyle(element) as CSSStyleDeclaration & {
      readonly maskBorderSource?: string
    }
    const box = element.getBoundingClientRect()
    const isRoot = element === document.body || element === document.documentElement
    if (clipPath !== 'none') hasClipPath = true
    if ([maskImage, maskBorderSource ?? 'none'].some((mask) => mask !== 'none' && mask !== '')) return true
    if (element === frame || isRoot) continue
    if (/hidden|clip/.test(overflowY) && (top < box.top - tolerancePx || bottom > box.bottom + tolerancePx)) return true
    if (/hidden|clip/.test(overflowX) && (left < box.left - tolerancePx || right > box.right + tolerancePx)) return true
  }
  return hasClipPath && isFooterCut()

  function parentOf(element: Element): Element | null {
    const root = element.getRootNode()
    return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null)
  }

  /** What a clip path cuts away is not hit, as it is not seen. Points outside the window say nothing. */
  function isFooterCut(): boolean {
    const root = frame.getRootNode() as Document | ShadowRoot
    const scale = frame instanceof HTMLElement && frame.offsetWidth > 0 ? width / frame.offsetWidth : 1
    const steps = Array.from({ length: pointsPerSide }, (_, index) => (index + 0.5) / pointsPerSide)
    return steps.some((down) =>
      steps.some((across) => {
        const x = left + (frame.clientLeft + footer.left + (footer.right - footer.left) * across) * scale
        const y = top + (frame.clientTop + footer.top + (footer.bottom - footer.top) * down) * scale
        const hit = root.elementFromPoint(x, y)
        return hit !== null && hit !== frame
      }),
    )
  }
}
