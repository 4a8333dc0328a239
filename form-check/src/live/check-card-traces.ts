import type { Frame } from 'playwright-core'

import type { PageContext } from '../check-elements.ts'
import { makeFinding, noLocation, type FormCheckFinding } from '../finding.ts'
import { containsPassword } from '../redact-secrets.ts'

import { createTraceFinder, type TraceFinder } from './card-traces.ts'
import type { OutgoingTransfer, ProbedPage } from './probed-page.ts'
import { sandboxPan } from './type-cards.ts'

export interface CardTraceOptions {
  readonly context: PageContext
  /** The only origin that may receive the card; null when the service's form is not in the page. */
  readonly formOrigin: string | null
  /** Whether the card was typed into the page's own inputs, which therefore contain it. */
  readonly isPageInput: boolean
}

/** Searches for the typed card outside the service: in requests, messages, the console, browser storage, the page and cookies. */
export async function checkCardTraces(
  { page, activity, takeSnapshot }: ProbedPage,
  { context, formOrigin, isPageInput }: CardTraceOptions,
): Promise<FormCheckFinding[]> {
  const findTrace = createTraceFinder(sandboxPan)
  const findings: FormCheckFinding[] = []
  const add = (rule: FormCheckFinding['rule'], excerpt: string): void => void findings.push(makeFinding(rule, context, noLocation, excerpt))

  for (const transfer of activity.transfers) {
    const trace = findTransferTrace(transfer, { findTrace, formOrigin })
    if (trace !== null) add('card-submitted', `${trace} by ${transfer.by} to ${addressOf(transfer.to)}`)
  }
  for (const message of activity.messages) {
    const trace = findTrace(message)
    if (trace !== null) add('card-in-message', `${trace} in a message`)
  }
  for (const line of activity.consoleLines) if (findTrace(line) !== null) add('card-in-console', line.slice(0, 80))

  for (const frame of page.frames()) {
    const isForm = formOrigin !== null && originOf(frame) === formOrigin
    const snapshot = await takeSnapshot(frame)
    for (const { name, text } of snapshot?.storage ?? []) {
      const trace = findTrace(text)
      if (trace !== null) add('card-in-storage', `${trace} in ${name} of ${originOf(frame)}`)
      if (containsPassword(text) && !isForm) add('password-in-page', `${name} of ${originOf(frame)}`)
    }
    // The form contains what was typed into it, and so does an input of the page.
    if (isForm || isPageInput) continue
    const trace = (snapshot?.texts ?? []).map(findTrace).find((found) => found !== null)
    if (typeof trace === 'string') add('card-in-page', `${trace} in ${addressOf(frame.url())}`)
  }
  for (const cookie of await page.context().cookies()) {
    const trace = findTrace(cookie.value)
    if (trace !== null) add('card-in-storage', `${trace} in the cookie ${cookie.name} of ${cookie.domain}`)
  }
  return findings
}

/** A body sent by the form to its own origin may contain the card. An address may never contain it. */
function findTransferTrace(
  { to, text, from }: OutgoingTransfer,
  { findTrace, formOrigin }: { findTrace: TraceFinder; formOrigin: string | null },
): string | null {
  const inAddress = findTrace(to)
  if (inAddress !== null) return `${inAddress} in the address`
  const isFormToService = formOrigin !== null && URL.parse(to)?.origin === formOrigin && URL.parse(from)?.origin === formOrigin
  return isFormToService ? null : findTrace(text)
}

function addressOf(to: string): string {
  const url = URL.parse(to)
  return url === null ? to.slice(0, 80) : `${url.origin}${url.pathname}`
}

function originOf(frame: Frame): string {
  return URL.parse(frame.url())?.origin ?? frame.url()
}
