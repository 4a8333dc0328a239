import type { Frame } from 'playwright-core'

import type { PageContext } from '../check-elements.ts'
import { makeFinding, type FormCheckFinding, type PageLocation } from '../finding.ts'

import type { FooterBox, FormVisibility } from './probe-protocol.ts'

/** Checks the service's form itself: its label, its links, whether they are visible, and its consent checkbox. */
export async function checkFormFrame(
  frame: Frame,
  context: PageContext,
): Promise<{ findings: FormCheckFinding[]; environment: FormVisibility['environment'] }> {
  const { readFormVisibility, isFrameClipped } = await loadFormVisibility()
  const footer = frame.locator('footer')
  await footer.waitFor({ state: 'attached', timeout: footerTimeoutMs }).catch(() => undefined)
  await footer.scrollIntoViewIfNeeded({ timeout: footerTimeoutMs }).catch(() => undefined)
  const form = await frame.evaluate(readFormVisibility)
  const isClippedByPage = await (await frame.frameElement()).evaluate(isFrameClipped, form.footer).catch(() => false)

  const location: PageLocation = { line: null, column: null, selector: 'iframe footer' }
  const findingOf = (rule: FormCheckFinding['rule'], excerpt: string): FormCheckFinding => makeFinding(rule, context, location, excerpt)
  const links = form.links.filter(({ text, href }) => text !== '' && /^https?:/.test(href))
  const isPoweredBy = ({ text }: { readonly text: string }): boolean => form.providerName !== '' && text.includes(form.providerName)
  const missing = [
    ...(links.some(isPoweredBy) ? [] : ['a powered-by link to the provider']),
    ...(links.filter((link) => !isPoweredBy(link)).length >= 2 ? [] : ['terms and privacy']),
  ]
  const hidden = [
    ...(form.isFooterSeen ? [] : ['powered by']),
    ...form.links.filter(({ isSeen }) => !isSeen).map(({ text }) => text),
    ...(isClippedByPage || form.isTooLow ? ['the frame is cut off'] : []),
  ]
  const findings = [
    ...(missing.length === 0 ? [] : [findingOf('links-missing', missing.join(', '))]),
    ...(missing.length > 0 || hidden.length === 0 ? [] : [findingOf('links-hidden', `not visible: ${hidden.join(', ')}`)]),
    ...(form.isConsentTicked ? [findingOf('consent-ticked', "the checkbox in the service's form")] : []),
  ]
  return { findings, environment: form.environment }
}

/** These functions run in the page. Imported by address, because they are compiled with the DOM's types and this file is not. */
async function loadFormVisibility(): Promise<{
  readFormVisibility: () => Promise<FormVisibility>
  isFrameClipped: (frame: unknown, footer: FooterBox) => boolean
}> {
  const address = new URL('../../in-page/form-visibility.ts', import.meta.url)
  return (await import(address.href)) as Awaited<ReturnType<typeof loadFormVisibility>>
}

const footerTimeoutMs = 5000
