import type { BrowserContext, Frame } from 'playwright-core'

import { checkElements, type PageContext, type PageElement } from '../check-elements.ts'
import { isCardInput, isFormEmbed } from '../element-kinds.ts'
import { FormCheckError, makeFinding, noLocation, type FormCheckFinding, type PageLocation } from '../finding.ts'
import { listScripts, type InventoryScript } from '../inventory.ts'

import { checkCardTraces } from './check-card-traces.ts'
import { checkFormFrame } from './check-form-frame.ts'
import { checkPageActivity } from './check-page-activity.ts'
import { firstLineOf } from './launch-browser.ts'
import type { ElementSnapshot, ProbeNames } from './probe-protocol.ts'
import { openProbedPage, type ProbedPage } from './probed-page.ts'
import { typeIntoForm, typeIntoPageInputs, type CardTypingResult } from './type-cards.ts'

/** How pages are opened and checked. */
export interface LiveCheckOptions {
  readonly target: string
  /** The service's origin; null: trust the page. */
  readonly formOrigin: string | null
  /** The browser's executable; null: search for one. */
  readonly browserPath: string | null
  /** `name=value; …` for a page that needs a session; null sends none. Never part of a report. */
  readonly cookies: string | null
  /** How long a loaded page may add elements before it is checked. */
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
}

export interface LivePageReport {
  readonly formOrigin: string | null
  readonly findings: readonly FormCheckFinding[]
  readonly scripts: readonly InventoryScript[]
  readonly notes: readonly string[]
}

/** Opens one page, waits until it has settled, checks it, types a sandbox card wherever it takes cards, and checks it again. */
export async function checkLivePage(
  options: LiveCheckOptions,
  { context: browserContext, names, path, address }: LivePageRequest,
): Promise<LivePageReport> {
  const probed = await openProbedPage(browserContext, names)
  const { page, activity } = probed
  const response = await page.goto(address, { waitUntil: 'load', timeout: options.pageTimeoutMs }).catch((err: unknown) => {
    throw new FormCheckError(`${path} does not open: ${firstLineOf(err)}`, { cause: err })
  })
  if (response !== null && !response.ok()) throw new FormCheckError(`${path} responds with HTTP ${response.status()}.`)
  await page.waitForTimeout(options.settleMs)

  const context: PageContext = { path, half: 'browser', origin: new URL(page.url()).origin, formOrigin: options.formOrigin }
  const { elements, form } = await collectElements(probed, context)
  const formOrigin = form === null ? null : new URL(form.url()).origin
  const findings: FormCheckFinding[] = [
    ...checkElements(elements, context),
    ...checkPageActivity(activity, { elements, context, headers: await response?.allHeaders() }),
  ]
  const notes: string[] = []
  if (form === null) findings.push(...checkMissingForm(elements, context))
  else {
    options.onProgress("Typing a sandbox card into the service's form")
    const formCheck = await checkFormFrame(form, context)
    findings.push(...formCheck.findings)
    const typing = await typeIntoForm(form, { shouldSubmit: options.shouldSubmit && formCheck.environment === 'test' })
    notes.push(...noteOnTyping(typing))
    if (typing.stage === 'not_typed') findings.push(makeFinding('form-not-seen', context, noLocation, 'the form takes no card'))
    await page.waitForTimeout(afterTypingMs)
    findings.push(...(await checkCardTraces(probed, { context, formOrigin, isPageInput: false })))
  }
  const hasCardInputs = elements.some(isCardInput)
  if (hasCardInputs) {
    options.onProgress('Typing a sandbox card into the inputs of the page')
    await typeIntoPageInputs(probed, { isServiceFrame: (frame) => isServiceFrame(frame, context), shouldSubmit: options.shouldSubmit })
    await page.waitForTimeout(afterTypingMs)
    findings.push(...(await checkCardTraces(probed, { context, formOrigin, isPageInput: true })))
  }
  const takesCards = hasCardInputs || elements.some(isFormEmbed)
  const scripts = takesCards ? listScripts(elements, context, { address: page.url(), bodies: activity.scriptBodies }) : []
  return { formOrigin, findings: removeDuplicates(findings), scripts, notes }
}

/** Tells the reader of the report when the card did not reach the SMS step. */
function noteOnTyping(typing: CardTypingResult): string[] {
  if (typing.stage === 'typed')
    return ['The card was typed into the form and not submitted: the form is not in a test environment, or --type-only was given.']
  if (typing.stage !== 'submitted') return []
  const reason = typing.message === '' ? 'the form shows nothing new' : `the form says “${typing.message}”`
  return [`The card was submitted in the form, and the form did not ask for an SMS code: ${reason}.`]
}

/**
 * Every element of the page, its shadow roots and its frames, except the service's frame. Includes inputs and scripts that were removed
 * again before the snapshot.
 */
async function collectElements(probed: ProbedPage, context: PageContext): Promise<{ elements: PageElement[]; form: Frame | null }> {
  const { page, activity } = probed
  const elements: PageElement[] = []
  const form = page.frames().find((frame) => isServiceFrame(frame, context)) ?? null
  for (const frame of page.frames().slice(0, maxFrames)) {
    if (isServiceFrame(frame, context)) continue
    const snapshot = await probed.takeSnapshot(frame)
    const prefix = frame === page.mainFrame() ? '' : `${frame.url().slice(0, 200)} `
    elements.push(...(snapshot?.elements ?? []).map((element) => toPageElement(element, prefix)))
  }
  const removed = activity.addedElements
    .filter(({ frame }) => !isServiceFrame(frame, context))
    .map(({ element }) => toPageElement(element, ''))
    .filter((element) => isCardInput(element) || element.tag === 'script')
    .filter((element) => !elements.some((present) => elementKey(present) === elementKey(element) || isTextPrefix(element, present)))
  const uniqueRemoved = removed.filter(
    (element, index) => removed.findIndex((other) => elementKey(other) === elementKey(element)) === index,
  )
  return { elements: [...elements, ...uniqueRemoved], form }
}

function toPageElement({ tag, attributes, selector, root, forms, isChecked, text }: ElementSnapshot, prefix: string): PageElement {
  const location: PageLocation = { line: null, column: null, selector: `${prefix}${selector}${root === 'document' ? '' : ` (${root})`}` }
  return {
    tag,
    attributes,
    text,
    isChecked,
    location,
    forms: forms.map((form) => ({ key: prefix + form.selector, attributes: form.attributes })),
  }
}

/**
 * Identifies an element across reports. Position and attributes may change after a script added it, so a script is identified by its
 * address or code, and an input by the attributes that name it.
 */
function elementKey({ tag, attributes, text }: PageElement): string {
  const identity = tag === 'script' ? text : [attributes['id'], attributes['name'], attributes['autocomplete']]
  return JSON.stringify([tag, attributes['src'] ?? '', identity])
}

/** An inline script that was reported while the parser was still reading it has only the beginning of its text. */
function isTextPrefix(element: PageElement, complete: PageElement): boolean {
  const areInline = [element, complete].every(({ tag, attributes }) => tag === 'script' && attributes['src'] === undefined)
  return areInline && complete.text.startsWith(element.text)
}

function isServiceFrame(frame: Frame, { origin, formOrigin }: PageContext): boolean {
  const url = URL.parse(frame.url())
  if (url === null || !/^\/form\/v1(\/|$)/.test(url.pathname)) return false
  return formOrigin === null ? url.origin !== origin : url.origin === formOrigin
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
    ...(hasLink(/powered|provider|провайдер|оператор|taqdim/i) ? [] : ['a powered-by label']),
    ...(hasLink(/terms|offer|oferta|услови|оферт|shart/i) ? [] : ['terms']),
    ...(hasLink(/privacy|конфиденц|maxfiy/i) ? [] : ['privacy']),
  ]
  return missing.length === 0 ? [] : [makeFinding('links-missing', context, noLocation, `no link: ${missing.join(', ')}`)]
}

function removeDuplicates(findings: readonly FormCheckFinding[]): FormCheckFinding[] {
  const key = ({ rule, shown, selector }: FormCheckFinding): string => JSON.stringify([rule, shown, selector])
  return findings.filter((finding, index) => findings.findIndex((other) => key(other) === key(finding)) === index)
}

const maxFrames = 30
const afterTypingMs = 1500
