import type { BrowserContext, Frame } from 'playwright-core'

import { CannotCheck } from '../cannot-check.ts'
import { makeFinding, nowhere, type Finding, type Place } from '../finding.ts'
import { listScripts, type ListedScript } from '../inventory.ts'
import { judgeElements, type PageElement, type PageFacts } from '../judge-elements.ts'
import type { ElementFacts, WatchAsked } from '../page-facts.ts'
import { isCardInput, isDoor } from '../words.ts'

import { judgeForm } from './judge-form.ts'
import { judgeHeard } from './judge-heard.ts'
import { judgeTraces } from './judge-traces.ts'
import type { LiveAsked } from './live-asked.ts'
import { typeIntoForm, typeIntoOwn, type TypedCard } from './type-cards.ts'
import { watchPage, type WatchedPage } from './watch-page.ts'

/** A page that is to be opened. */
export interface ToOpen {
  readonly context: BrowserContext
  readonly names: WatchAsked
  /** As the report calls it. */
  readonly path: string
  readonly address: string
}

export interface OpenedReport {
  readonly formOrigin: string | null
  readonly findings: readonly Finding[]
  readonly scripts: readonly ListedScript[]
  readonly notes: readonly string[]
}

/** Opens one page, lets it settle, looks, types a sandbox card where cards are typed, and looks again. */
export async function checkOpened(asked: LiveAsked, { context, names, path, address }: ToOpen): Promise<OpenedReport> {
  const watched = await watchPage(context, names)
  const reply = await watched.page.goto(address, { waitUntil: 'load', timeout: asked.pageMs }).catch((err: unknown) => {
    throw new CannotCheck(`${path} does not open: ${err instanceof Error ? (err.message.split('\n')[0] ?? '') : ''}`, { cause: err })
  })
  if (reply !== null && !reply.ok()) throw new CannotCheck(`${path} answers ${reply.status()}.`)
  await watched.page.waitForTimeout(asked.waitMs)
  const origin = new URL(watched.page.url()).origin
  const facts: PageFacts = { path, half: 'browser', origin, formOrigin: asked.formOrigin }
  const { elements, form } = await lookAround(watched, facts)
  const findings: Finding[] = [
    ...judgeElements(elements, facts),
    ...judgeHeard(watched.heard, { elements, facts, headers: await reply?.allHeaders() }),
  ]
  const notes: string[] = []
  const formOrigin = form === null ? null : new URL(form.url()).origin
  if (form === null) findings.push(...judgeNoForm(elements, facts))
  else {
    asked.progress('Typing a sandbox card into the form of the service')
    const seen = await judgeForm(form, facts)
    findings.push(...seen.findings)
    const typed = await typeIntoForm(form, { submits: asked.submits && seen.environment === 'test' })
    notes.push(...noteOn(typed))
    if (typed.came === 'nowhere') findings.push(makeFinding('form-not-seen', facts, nowhere, 'the form takes no card'))
    await watched.page.waitForTimeout(AFTER_MS)
    findings.push(...(await judgeTraces(watched, { facts, formOrigin, isOwn: false })))
  }
  if (elements.some(isCardInput)) {
    asked.progress('Typing a sandbox card into the inputs of the page')
    await typeIntoOwn(watched, { isService: (frame) => isServiceFrame(frame, facts), submits: asked.submits })
    await watched.page.waitForTimeout(AFTER_MS)
    findings.push(...(await judgeTraces(watched, { facts, formOrigin, isOwn: true })))
  }
  return {
    formOrigin,
    findings: dropTwins(findings),
    scripts: listScripts(
      elements.filter(() => elements.some((one) => isDoor(one) || isCardInput(one))),
      facts,
      { address: watched.page.url(), bodies: watched.heard.bodies },
    ),
    notes,
  }
}

/** What a reader of the report has to know of a card that was typed and did not go its whole way. */
function noteOn(typed: TypedCard): string[] {
  if (typed.came === 'typed')
    return ['The card was typed into the form and not sent: the form is not of a test environment, or --type-only was said.']
  if (typed.came !== 'sent') return []
  const why = typed.said === '' ? 'the form shows nothing new' : `the form says “${typed.said}”`
  return [`The card was typed into the form and sent, and no SMS code was asked for: ${why}.`]
}

/** Everything in the page, its shadow roots and every frame that is not the service's; what was there for a moment only, too. */
async function lookAround(watched: WatchedPage, facts: PageFacts): Promise<{ elements: PageElement[]; form: Frame | null }> {
  const elements: PageElement[] = []
  const form = watched.page.frames().find((frame) => isServiceFrame(frame, facts)) ?? null
  for (const frame of watched.page.frames().slice(0, FRAMES_MAX)) {
    if (isServiceFrame(frame, facts)) continue
    const looked = await watched.look(frame)
    const within = frame === watched.page.mainFrame() ? '' : `${frame.url().slice(0, 200)} `
    elements.push(...(looked?.elements ?? []).map((one) => asElement(one, within)))
  }
  const gone = watched.heard.added
    .filter(({ frame }) => !isServiceFrame(frame, facts))
    .map(({ element }) => asElement(element, ''))
    .filter(
      (one) =>
        (isCardInput(one) || one.tag === 'script') && !elements.some((there) => signOf(there) === signOf(one) || isBeginningOf(one, there)),
    )
  const isNew = gone.filter((one, index) => gone.findIndex((other) => signOf(other) === signOf(one)) === index)
  return { elements: [...elements, ...isNew], form }
}

function asElement({ tag, attributes, selector, root, forms, checked, text }: ElementFacts, within: string): PageElement {
  const place: Place = { line: null, column: null, selector: `${within}${selector}${root === 'document' ? '' : ` (${root})`}` }
  return {
    tag,
    attributes,
    text,
    checked,
    place,
    forms: forms.map((form) => ({ key: within + form.selector, attributes: form.attributes })),
  }
}

/** A script that is added is told before it is at its last place, and may take attributes later: its address or text tells it. */
function signOf({ tag, attributes, text }: PageElement): string {
  return JSON.stringify([
    tag,
    attributes['src'] ?? '',
    tag === 'script' ? text : [attributes['id'], attributes['name'], attributes['autocomplete']],
  ])
}

/** An inline script that was met while the page was still being read has the beginning of its text. */
function isBeginningOf(one: PageElement, there: PageElement): boolean {
  const areInline = [one, there].every(({ tag, attributes }) => tag === 'script' && attributes['src'] === undefined)
  return areInline && there.text.startsWith(one.text)
}

function isServiceFrame(frame: Frame, { origin, formOrigin }: PageFacts): boolean {
  const url = URL.parse(frame.url())
  if (url === null || !/^\/form\/v1(\/|$)/.test(url.pathname)) return false
  return formOrigin === null ? url.origin !== origin : url.origin === formOrigin
}

function judgeNoForm(elements: readonly PageElement[], facts: PageFacts): Finding[] {
  const doors = elements.filter(isDoor)
  const cards = elements.filter(isCardInput)
  return [
    ...doors.slice(0, 1).map((door) => makeFinding('form-not-seen', facts, door.place, 'no frame of the service is in the page')),
    ...(doors.length === 0 && cards.length > 0 ? judgeOwnLinks(elements, facts) : []),
  ]
}

/** Where a shop draws its own form, the specification's links are missing too, unless the shop wrote them. */
function judgeOwnLinks(elements: readonly PageElement[], facts: PageFacts): Finding[] {
  const links = elements.filter(({ tag, attributes }) => tag === 'a' && attributes['href'] !== undefined)
  const has = (words: RegExp): boolean => links.some(({ text, attributes }) => words.test(`${text} ${attributes['href'] ?? ''}`))
  const missing = [
    ...(has(/powered|provider|провайдер|оператор|taqdim/i) ? [] : ['a powered-by label']),
    ...(has(/terms|offer|oferta|услови|оферт|shart/i) ? [] : ['terms']),
    ...(has(/privacy|конфиденц|maxfiy/i) ? [] : ['privacy']),
  ]
  return missing.length === 0 ? [] : [makeFinding('links-missing', facts, nowhere, `no link: ${missing.join(', ')}`)]
}

function dropTwins(findings: readonly Finding[]): Finding[] {
  const sign = ({ rule, shown, selector }: Finding): string => JSON.stringify([rule, shown, selector])
  return findings.filter((one, index) => findings.findIndex((other) => sign(other) === sign(one)) === index)
}

const FRAMES_MAX = 30
const AFTER_MS = 1500
