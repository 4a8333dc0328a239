import type { FormSeen } from '../src/page-facts.ts'

/** Runs in the form's frame. IntersectionObserver v2 knows what covers, clips, filters or fades it, in the page around too. */
export async function seeForm(): Promise<FormSeen> {
  const facts = JSON.parse(document.querySelector('#tessera')?.textContent ?? '{}') as { environment?: string }
  const footer = document.querySelector('footer')
  const links = [...(footer?.querySelectorAll('a') ?? [])]
  const seen = await Promise.all([footer, ...links].map((part) => (part === null ? Promise.resolve(false) : isSeen(part))))
  return {
    links: links.map((link, index) => ({ text: link.textContent.trim(), href: link.href, isSeen: seen[index + 1] ?? false })),
    footer: footer?.textContent.trim() ?? '',
    isFooterSeen: seen[0] ?? false,
    isCut: innerHeight > 0 && document.documentElement.scrollHeight > innerHeight + 40,
    isConsentTicked: [...document.querySelectorAll<HTMLInputElement>('input[type=checkbox]')].some(({ checked }) => checked),
    environment: facts.environment ?? '',
  }

  function isSeen(part: Element): Promise<boolean> {
    return new Promise((resolve) => {
      const options = { threshold: [0, 0.5, 1], trackVisibility: true, delay: 100 } as IntersectionObserverInit
      const observer = new IntersectionObserver((entries) => {
        const entry = entries.at(-1) as (IntersectionObserverEntry & { readonly isVisible?: boolean }) | undefined
        if (entry?.isVisible === true) end(true)
      }, options)
      const end = (found: boolean): void => {
        clearTimeout(late)
        observer.disconnect()
        resolve(found)
      }
      // As long as a busy machine may take to draw it; only what is hidden is waited for to the end.
      const late = setTimeout(() => end(false), 5000)
      observer.observe(part)
    })
  }
}
