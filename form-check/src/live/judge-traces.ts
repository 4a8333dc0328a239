import type { Frame } from 'playwright-core'

import { makeFinding, nowhere, type Finding } from '../finding.ts'
import type { PageFacts } from '../judge-elements.ts'
import { holdsPassword } from '../secrets.ts'

import { makeFindTrace } from './traces.ts'
import { sandboxPan } from './type-cards.ts'
import type { Way, WatchedPage } from './watch-page.ts'

export interface TracesAsked {
  readonly facts: PageFacts
  /** Where the card may go; null when no form of the service is there. */
  readonly formOrigin: string | null
  /** Whether it was typed into inputs of the page's own, which hold it then. */
  readonly isOwn: boolean
}

/** Where the card that was typed is found outside the service: what was sent, stored, written into the page, told and logged. */
export async function judgeTraces({ page, heard, look }: WatchedPage, { facts, formOrigin, isOwn }: TracesAsked): Promise<Finding[]> {
  const trace = makeFindTrace(sandboxPan)
  const findings: Finding[] = []
  const tell = (rule: Finding['rule'], shown: string): void => void findings.push(makeFinding(rule, facts, nowhere, shown))
  for (const way of heard.ways) {
    const carried = carriedBy(way, { trace, formOrigin })
    if (carried !== null) tell('card-submitted', `${carried} by ${way.by} to ${addressOf(way.to)}`)
  }
  for (const text of heard.messages) if (trace(text) !== null) tell('card-in-message', `${trace(text) ?? ''} in a message`)
  for (const line of heard.lines) if (trace(line) !== null) tell('card-in-console', line.slice(0, 80))
  for (const frame of page.frames()) {
    const isForm = formOrigin !== null && originOf(frame) === formOrigin
    const looked = await look(frame)
    for (const { name, text } of looked?.stores ?? []) {
      const carried = trace(text)
      if (carried !== null) tell('card-in-storage', `${carried} in ${name} of ${originOf(frame)}`)
      if (holdsPassword(text) && !isForm) tell('password-in-page', `${name} of ${originOf(frame)}`)
    }
    // The form holds what was typed into it, and so does an input of the page's own.
    if (isForm || isOwn) continue
    const carried = (looked?.marks ?? []).map(trace).find((found) => found !== null)
    if (typeof carried === 'string') tell('card-in-page', `${carried} in ${addressOf(frame.url())}`)
  }
  for (const cookie of await page.context().cookies())
    if (trace(cookie.value) !== null)
      tell('card-in-storage', `${trace(cookie.value) ?? ''} in the cookie ${cookie.name} of ${cookie.domain}`)
  return findings
}

/** From the form to its own origin, in a body, is where a card belongs; in an address it belongs nowhere. */
function carriedBy(
  { to, text, from }: Way,
  { trace, formOrigin }: { trace: ReturnType<typeof makeFindTrace>; formOrigin: string | null },
): string | null {
  const inAddress = trace(to)
  if (inAddress !== null) return `${inAddress} in the address`
  const isHome = formOrigin !== null && URL.parse(to)?.origin === formOrigin && URL.parse(from)?.origin === formOrigin
  return isHome ? null : trace(text)
}

function addressOf(to: string): string {
  const url = URL.parse(to)
  return url === null ? to.slice(0, 80) : `${url.origin}${url.pathname}`
}

function originOf(frame: Frame): string {
  return URL.parse(frame.url())?.origin ?? frame.url()
}
