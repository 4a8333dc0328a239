import type { Frame } from 'playwright-core'

import type { PageContext } from '../check-elements.ts'
import { makeFinding, noLocation, type FormCheckFinding } from '../finding.ts'
import type { PageElement } from '../page-elements.ts'
import { containsPassword } from '../redact-secrets.ts'

import { createTraceFinder, findSplitTrace, type TraceFinder } from './card-traces.ts'
import { headerMark, type OutgoingTransfer, type PageActivity, type ProbedPage } from './probed-page.ts'
import { sandboxPan } from './type-cards.ts'

/** A point in the activity of a page: what came before it is not searched. */
export type ActivityMark = Readonly<Record<'transfers' | 'messages' | 'consoleLines', number>>

export const wholeActivity: ActivityMark = Object.freeze({ transfers: 0, messages: 0, consoleLines: 0 })

export interface CardTraceOptions {
  readonly context: PageContext
  /** The only origin that may receive the card; null when the service's form is not in the page. */
  readonly formOrigin: string | null
  /** The input of the page that the card was typed into; null: it was typed into the service's form. */
  readonly typedInto: Pick<PageElement, 'location' | 'card'> | null
  readonly since: ActivityMark
  /** Storages, by name and origin, that inputs for other things have written already. */
  readonly knownStorage: ReadonlySet<string>
}

export function markActivity({ transfers, messages, consoleLines }: PageActivity): ActivityMark {
  return { transfers: transfers.length, messages: messages.length, consoleLines: consoleLines.length }
}

/** Searches for the typed card outside the service: in requests, messages, the console, browser storage, the page and cookies. */
export async function checkCardTraces(probed: ProbedPage, options: CardTraceOptions): Promise<FormCheckFinding[]> {
  const { page, activity, takeSnapshot } = probed
  const { context, formOrigin, typedInto, since, knownStorage } = options
  const findTrace = createTraceFinder(sandboxPan)
  const findings: FormCheckFinding[] = []
  const location = typedInto?.location ?? noLocation
  const add = (rule: FormCheckFinding['rule'], excerpt: string): void =>
    void findings.push(makeFinding(rule, context, location, excerpt, typedInto?.card?.text))

  for (const { trace, by, to } of listTransferTraces(activity.transfers.slice(since.transfers), formOrigin))
    add('card-submitted', `${trace} by ${by} to ${addressOf(to)}`)
  for (const message of activity.messages.slice(since.messages)) {
    const trace = findTrace(message)
    if (trace !== null) add('card-in-message', `${trace} in a message`)
  }
  for (const line of activity.consoleLines.slice(since.consoleLines))
    if (findTrace(line) !== null) add('card-in-console', line.slice(0, 80))

  for (const frame of page.frames()) {
    const isForm = formOrigin !== null && originOf(frame) === formOrigin
    const snapshot = await takeSnapshot(frame)
    for (const { name, text } of snapshot?.storage ?? []) {
      const trace = findTrace(text)
      if (trace !== null && !knownStorage.has(storageKey(name, frame))) add('card-in-storage', `${trace} in ${name} of ${originOf(frame)}`)
      if (containsPassword(text) && !isForm) add('password-in-page', `${name} of ${originOf(frame)}`)
    }
    // The form contains what was typed into it, and so does an input of the page.
    if (isForm || typedInto !== null) continue
    const trace = (snapshot?.texts ?? []).map(findTrace).find((found) => found !== null)
    if (typeof trace === 'string') add('card-in-page', `${trace} in ${addressOf(frame.url())}`)
  }
  for (const cookie of await page.context().cookies()) {
    const trace = findTrace(cookie.value)
    if (trace !== null && !knownStorage.has(`cookie ${cookie.name}`))
      add('card-in-storage', `${trace} in the cookie ${cookie.name} of ${cookie.domain}`)
  }
  return findings
}

/** The storages that contain the card now, as `knownStorage` takes them. */
export async function listStorageTraces({ page, takeSnapshot }: ProbedPage): Promise<Set<string>> {
  const findTrace = createTraceFinder(sandboxPan)
  const keys = new Set<string>()
  for (const frame of page.frames()) {
    const snapshot = await takeSnapshot(frame)
    for (const { name, text } of snapshot?.storage ?? []) if (findTrace(text) !== null) keys.add(storageKey(name, frame))
  }
  for (const { name, value } of await page.context().cookies()) if (findTrace(value) !== null) keys.add(`cookie ${name}`)
  return keys
}

export interface TransferTrace {
  readonly trace: string
  readonly by: string
  readonly to: string
}

/** The transfers that contain the card, alone or several to one place together. */
export function listTransferTraces(transfers: readonly OutgoingTransfer[], formOrigin: string | null): TransferTrace[] {
  const findTrace = createTraceFinder(sandboxPan)
  const traces = transfers.flatMap((transfer) => {
    const trace = findTransferTrace(transfer, { findTrace, formOrigin })
    return trace === null ? [] : [{ trace, by: transfer.by, to: transfer.to }]
  })
  if (traces.length > 0) return traces
  const others = transfers.filter(({ to, from }) => !isFormToService({ to, from }, formOrigin))
  for (const [, group] of Map.groupBy(others, ({ by, to }) => `${by} ${URL.parse(to)?.host ?? to}`)) {
    const [first] = group
    if (
      first !== undefined &&
      findSplitTrace(
        sandboxPan,
        group.map(({ to, text }) => `${URL.parse(to)?.pathname ?? ''}${URL.parse(to)?.search ?? ''} ${bodyOf(text)}`),
      )
    )
      traces.push({ trace: `digits in ${group.length} parts`, by: first.by, to: first.to })
  }
  return traces
}

/** A body sent by the form to its own origin may contain the card. An address may never contain it. */
function findTransferTrace(
  { to, text, from }: OutgoingTransfer,
  { findTrace, formOrigin }: { findTrace: TraceFinder; formOrigin: string | null },
): string | null {
  const inAddress = findTrace(to)
  if (inAddress !== null) return `${inAddress} in the address`
  return isFormToService({ to, from }, formOrigin) ? null : findTrace(text)
}

function isFormToService({ to, from }: Pick<OutgoingTransfer, 'to' | 'from'>, formOrigin: string | null): boolean {
  return formOrigin !== null && URL.parse(to)?.origin === formOrigin && URL.parse(from)?.origin === formOrigin
}

/** The body of a recorded request, without its headers, whose numbers are not the page's. */
function bodyOf(text: string): string {
  return text.split(headerMark)[0] ?? ''
}

function storageKey(name: string, frame: Frame): string {
  return `${name} ${originOf(frame)}`
}

function addressOf(to: string): string {
  const url = URL.parse(to)
  return url === null ? to.slice(0, 80) : `${url.origin}${url.pathname}`
}

function originOf(frame: Frame): string {
  return URL.parse(frame.url())?.origin ?? frame.url()
}
