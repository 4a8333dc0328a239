import type { BrowserContext, Page, Response } from 'playwright-core'

import { checkElements, type PageContext } from '../check-elements.ts'
import { isFormEmbed } from '../element-kinds.ts'
import { FormCheckError, makeFinding, noLocation, openAdvice, statusAdvice, type FormCheckFinding } from '../finding.ts'
import { listScripts, type InventoryScript } from '../inventory.ts'
import { isCardInput, type PageElement } from '../page-elements.ts'

import { checkCardTraces, wholeActivity } from './check-card-traces.ts'
import { checkFormFrame } from './check-form-frame.ts'
import { checkPageActivity } from './check-page-activity.ts'
import { checkPageInputs } from './check-page-inputs.ts'
import { guardSockets } from './guard-requests.ts'
import { firstLineOf } from './launch-browser.ts'
import { listPromptElements, listRemovedElements, readLivePage } from './live-elements.ts'
import type { ProbeNames } from './probe-protocol.ts'
import { openProbedPage } from './probed-page.ts'
import { typeIntoForm, type CardTypingResult } from './type-cards.ts'

/** How pages are opened and checked. */
export interface LiveCheckOptions {
  readonly target: string
  /** The service's origin; null: trust the page. */
  readonly formOrigin: string | null
  /** The browser's executable; null: search for one. */
  readonly browserPath: string | null
  /** `name=value; …` for a page that needs a session; null sends none. Never part of a report. */
  readonly cookies: string | null
  /** How long a loaded page may at most add elements before it is checked. A page without open requests and timers is checked at once. */
  readonly settleMs: number
  /** For everything that is done with one page. */
  readonly pageTimeoutMs: number
  /** Whether typed cards are submitted too. */
  readonly shouldSubmit: boolean
  readonly signal: AbortSignal
  /** Receives a line for each step, for a user who waits. */
  readonly onProgress: (line: string) => void
}

export interface LivePageRequest {
  readonly context: BrowserContext
  readonly names: ProbeNames
  /** The page's name in the report. */
  readonly path: string
  readonly address: string
  /** Whether the check itself serves the page: then nothing else answers it, WebSockets included. */
  readonly isServedHere: boolean
}

export interface LivePageReport {
  readonly formOrigin: string | null
  readonly findings: readonly FormCheckFinding[]
  readonly scripts: readonly InventoryScript[]
  readonly notes: readonly string[]
}

/** Opens one page, waits until it has settled, checks it, types a sandbox card wherever text is typed, and checks it again. */
export async function checkLivePage(options: LiveCheckOptions, request: LivePageRequest): Promise<LivePageReport> {
  const { context: browserContext, names, path } = request
  const probed = await openProbedPage(browserContext, names)
  const { page, activity } = probed
  await guardSockets(browserContext, { activity, isConnected: !request.isServedHere })
  const response = await openPage(options, { page, path, address: request.address })
  await probed.settle(options.settleMs)

  const context: PageContext = { path, half: 'browser', origin: new URL(page.url()).origin, formOrigin: options.formOrigin }
  const seen = await readLivePage(probed, context)
  const { form } = seen
  const elements = [...seen.elements, ...listRemovedElements(probed, seen.elements, context)]
  const formOrigin = form === null ? null : new URL(form.url()).origin
  const findings: FormCheckFinding[] = [...checkPageActivity(activity, { elements, context, headers: await response?.allHeaders() })]
  const notes: string[] = []
  if (form !== null) {
    options.onProgress("Typing a sandbox card into the service's form")
    const formCheck = await checkFormFrame(form, context)
    findings.push(...formCheck.findings)
    const typing = await typeIntoForm(form, { shouldSubmit: options.shouldSubmit && formCheck.environment === 'test' })
    notes.push(...noteOnTyping(typing))
    if (typing.stage === 'not_typed') findings.push(makeFinding('form-not-seen', context, noLocation, 'the form takes no card'))
    await page.waitForTimeout(afterTypingMs)
    findings.push(
      ...(await checkCardTraces(probed, { context, formOrigin, typedInto: null, since: wholeActivity, knownStorage: new Set() })),
    )
  }
  const inputs = await checkPageInputs(probed, { context, formOrigin, options, first: seen })
  const removed = listRemovedElements(probed, [...elements, ...inputs.elements], context)
  const all = mergeElements(elements, [...inputs.elements, ...removed, ...listPromptElements(probed)])
  findings.unshift(...checkElements(all, context))
  findings.push(...inputs.findings)
  notes.push(...inputs.notes)
  if (form === null) findings.push(...checkMissingForm(all, context))
  const takesCards = all.some(isCardInput) || all.some(isFormEmbed)
  const scripts = takesCards ? listScripts(elements, context, { address: page.url(), bodies: activity.scriptBodies }) : []
  return { formOrigin, findings: removeDuplicates(findings), scripts, notes }
}

async function openPage(
  { pageTimeoutMs }: LiveCheckOptions,
  { page, path, address }: { page: Page; path: string; address: string },
): Promise<Response | null> {
  const response = await page.goto(address, { waitUntil: 'load', timeout: pageTimeoutMs }).catch((err: unknown) => {
    throw new FormCheckError(`${path} does not open in the browser: ${firstLineOf(err)} ${openAdvice}`, { cause: err })
  })
  if (response !== null && !response.ok())
    throw new FormCheckError(`${path} responds with HTTP ${response.status()}. ${statusAdvice(response.status())}`)
  return response
}

/** The elements of the page as it opened, and the inputs that appeared since. */
function mergeElements(first: readonly PageElement[], later: readonly PageElement[]): PageElement[] {
  const keyOf = ({ tag, attributes: { id, name, placeholder }, card }: PageElement): string =>
    JSON.stringify([tag, id, name, placeholder, card])
  const keys = new Set(first.map(keyOf))
  const added = later.filter((element) => {
    const isNew = element.card !== null && !keys.has(keyOf(element))
    keys.add(keyOf(element))
    return isNew
  })
  return [...first, ...added]
}

/** Tells the reader of the report when the card did not reach the SMS step. */
function noteOnTyping(typing: CardTypingResult): string[] {
  if (typing.stage === 'typed')
    return ['The card was typed into the form and not submitted: the form is not in a test environment, or --type-only was given.']
  if (typing.stage !== 'submitted') return []
  const reason = typing.message === '' ? 'the form shows nothing new' : `the form says “${typing.message}”`
  return [`The card was submitted in the form, and the form did not ask for an SMS code: ${reason}.`]
}

function checkMissingForm(elements: readonly PageElement[], context: PageContext): FormCheckFinding[] {
  const [embed] = elements.filter(isFormEmbed)
  if (embed !== undefined) return [makeFinding('form-not-seen', context, embed.location, "the service's frame is not in the page")]
  return elements.some(isCardInput) ? checkOwnLinks(elements, context) : []
}

/** A shop that draws its own card form has to show the links that the specification requires, too. */
function checkOwnLinks(elements: readonly PageElement[], context: PageContext): FormCheckFinding[] {
  const links = elements.filter(({ tag, attributes }) => tag === 'a' && attributes['href'] !== undefined)
  const hasLink = (pattern: RegExp): boolean => links.some(({ text, attributes }) => pattern.test(`${text} ${attributes['href'] ?? ''}`))
  const missing = [
    ...(hasLink(/powered|provider|провайдер|оператор|taqdim/i) ? [] : ['a powered-by link']),
    ...(hasLink(/terms|offer|oferta|услови|оферт|shart/i) ? [] : ['terms']),
    ...(hasLink(/privacy|конфиденц|maxfiy/i) ? [] : ['privacy']),
  ]
  return missing.length === 0 ? [] : [makeFinding('links-missing', context, noLocation, `no link: ${missing.join(', ')}`)]
}

function removeDuplicates(findings: readonly FormCheckFinding[]): FormCheckFinding[] {
  const key = ({ rule, shown, selector }: FormCheckFinding): string => JSON.stringify([rule, shown, selector])
  return findings.filter((finding, index) => findings.findIndex((other) => key(other) === key(finding)) === index)
}

const afterTypingMs = 1500
