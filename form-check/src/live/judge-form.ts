import type { Frame } from 'playwright-core'

import { makeFinding, type Finding, type Place } from '../finding.ts'
import type { PageFacts } from '../judge-elements.ts'
import type { FormSeen } from '../page-facts.ts'

/** The rules about the form itself: its label, its links, whether they can be seen, and its box. */
export async function judgeForm(frame: Frame, facts: PageFacts): Promise<{ findings: Finding[]; environment: string }> {
  const { seeForm } = (await import(new URL('../../in-page/form-seen.ts', import.meta.url).href)) as { seeForm: () => Promise<FormSeen> }
  const { isClipped } = (await import(new URL('../../in-page/clipped.ts', import.meta.url).href)) as {
    isClipped: (frame: unknown) => boolean
  }
  const isCut = await (await frame.frameElement()).evaluate(isClipped).catch(() => false)
  const footer = frame.locator('footer')
  await footer.waitFor({ state: 'attached', timeout: FOOTER_MS }).catch(() => undefined)
  await footer.scrollIntoViewIfNeeded({ timeout: FOOTER_MS }).catch(() => undefined)
  const seen = await frame.evaluate(seeForm)
  const place: Place = { line: null, column: null, selector: 'iframe footer' }
  const tell = (rule: Finding['rule'], shown: string): Finding => makeFinding(rule, facts, place, shown)
  const missing = [
    ...(seen.footer === '' ? ['a powered-by label'] : []),
    ...(seen.links.filter(({ text, href }) => text !== '' && /^https?:/.test(href)).length < 2 ? ['terms and privacy'] : []),
  ]
  const hidden = seen.links.filter(({ isSeen }) => !isSeen).map(({ text }) => text)
  const hiddenWords = [...(seen.isFooterSeen ? [] : ['powered by']), ...hidden, ...(isCut || seen.isCut ? ['the frame is cut short'] : [])]
  const findings = [
    ...(missing.length === 0 ? [] : [tell('links-missing', missing.join(', '))]),
    ...(missing.length > 0 || hiddenWords.length === 0 ? [] : [tell('links-hidden', `cannot be seen: ${hiddenWords.join(', ')}`)]),
    ...(seen.isConsentTicked ? [tell('consent-ticked', 'the box in the form of the service')] : []),
  ]
  return { findings, environment: seen.environment }
}

const FOOTER_MS = 5000
