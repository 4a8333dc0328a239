import type { PageContext } from '../check-elements.ts'
import { canHoldPan } from '../fields/formats.ts'
import { makeFinding, type FormCheckFinding } from '../finding.ts'
import type { PageElement } from '../page-elements.ts'

import { checkCardTraces, listStorageTraces, listTransferTraces, markActivity, type ActivityMark } from './check-card-traces.ts'
import { describeView, listOpeners, openerKey } from './explore-page.ts'
import { guardRequests } from './guard-requests.ts'
import { isTextInput, listPromptElements, readLivePage, type LiveElement, type LivePage, type ObservedBehaviors } from './live-elements.ts'
import type { ProbedPage } from './probed-page.ts'
import {
  chooseValue,
  fillOthers,
  isCardDisguised,
  pressEnter,
  probeInput,
  promptAnswerOf,
  typeCard,
  typeCardInto,
} from './type-into-page.ts'

export interface PageInputOptions {
  readonly context: PageContext
  readonly formOrigin: string | null
  readonly options: {
    readonly pageTimeoutMs: number
    readonly shouldSubmit: boolean
    readonly signal: AbortSignal
    readonly onProgress: (line: string) => void
  }
  /** The page as it was when it had settled. */
  readonly first: LivePage
}

export interface PageInputReport {
  /** Card inputs that appeared, or showed what they are, after the page was first read. */
  readonly elements: readonly PageElement[]
  readonly findings: readonly FormCheckFinding[]
  readonly notes: readonly string[]
}

/**
 * Types the card into the page's own inputs: first into those that ask for a card, then into each other text input, to see what the page does
 * with digits; then presses what may open a card form, and types again. Requests that carry the card are aborted, and no page is left.
 */
export async function checkPageInputs(
  probed: ProbedPage,
  { context, formOrigin, options, first }: PageInputOptions,
): Promise<PageInputReport> {
  const elements: PageElement[] = []
  const findings: FormCheckFinding[] = []
  const behaviors: ObservedBehaviors = new Map()
  const typed = new Set<string>()
  const probedKeys = new Set<string>()
  const knownStorage = new Set<string>()
  const end = performance.now() + options.pageTimeoutMs / 2
  probed.page.context().on('page', (popup) => void popup.close().catch(() => undefined))
  await guardRequests(probed.page.context())
  probed.answerPrompts(promptAnswerOf)

  let current = first
  const notes: string[] = []
  try {
    await typeNewCards()
    await scrollThrough()
    await probeOthers()
    await openForms()
  } catch (err) {
    // The time limit closed the page. What was found until then counts.
    if (options.signal.aborted || !probed.page.isClosed()) throw err
    notes.push(`The time limit ended before all inputs of ${context.path} were typed into. Give it more with --time-limit.`)
  }
  return { elements, findings, notes }

  async function readAgain(): Promise<void> {
    current = await readLivePage(probed, context, behaviors)
    elements.push(...current.elements.filter(({ card }) => card !== null))
  }

  /** Shows what a page adds only where it is scrolled to. */
  async function scrollThrough(): Promise<void> {
    await probed.perform(probed.page.mainFrame(), 'scrollThrough', '')
    await probed.settle(afterScrollMs)
    await readAgain()
    await typeNewCards()
  }

  /** Types into card inputs that were not typed into yet. Returns whether there were any. */
  async function typeNewCards(): Promise<boolean> {
    const inputs = current.live.filter((input) => input.element.card !== null && input.isVisible && input.element.card.data !== 'otp')
    if (inputs.every((input) => typed.has(inputKey(input)))) return false
    options.onProgress('Typing a sandbox card into the inputs of the page')
    for (const input of inputs) typed.add(inputKey(input))
    const since = markActivity(probed.activity)
    await typeCard(probed, current, { shouldSubmit: options.shouldSubmit })
    await probed.settle(afterTypingMs)
    const typedInto = (inputs.find(({ element }) => element.card?.data === 'number') ?? inputs[0])?.element ?? null
    findings.push(...(await checkCardTraces(probed, { context, formOrigin, typedInto, since, knownStorage })))
    await readAgain()
    return true
  }

  /** Types the card into inputs that ask for nothing or for something else. Some show by what they do with it that they are for a card. */
  async function probeOthers(): Promise<void> {
    const others = current.live.filter(
      (input) => isTextInput(input) && input.element.card === null && isProbed(input) && !probedKeys.has(inputKey(input)),
    )
    // A page may wait until all of its inputs are filled.
    if (others.length > 0) await fillOthers(probed, current)
    for (const input of others) {
      if (performance.now() > end || probedKeys.size >= maxProbedInputs) {
        notes.push(`Not all text inputs of ${context.path} were typed into: there are too many for the time limit. Raise --time-limit.`)
        break
      }
      probedKeys.add(inputKey(input))
      const selector = input.element.location.selector ?? ''
      const { behavior, transfers } = await probeInput(probed, input)
      behaviors.set(selector, behavior)
      for (const { trace, by, to } of listTransferTraces(transfers, formOrigin).slice(0, 1))
        findings.push(makeFinding('typed-text-sent', context, input.element.location, `${trace} by ${by} to ${URL.parse(to)?.host ?? ''}`))
    }
    if (others.length === 0) return
    for (const name of await listStorageTraces(probed)) knownStorage.add(name)
    await readAgain()
    const promoted = current.live.filter(({ element }) => element.card?.data === 'number' && behaviors.has(element.location.selector ?? ''))
    for (const { element } of promoted) withdrawNote(findings, element)
    await typeNewCards()
  }

  /** While no card input can be typed into, presses buttons, links and tabs until one appears or nothing is left to press. */
  async function openForms(): Promise<void> {
    if (!options.shouldSubmit) return
    const pressed = new Set<string>()
    const views = new Set([describeView(current)])
    await fillOthers(probed, current)
    await readAgain()
    let idlePresses = 0
    for (
      let presses = 0;
      typed.size === 0 && idlePresses < maxIdlePresses && presses < maxPresses && performance.now() < end;
      presses += 1
    ) {
      const [opener] = listOpeners(current, pressed)
      if (opener === undefined) return
      pressed.add(openerKey(opener))
      await fillOthers(probed, current)
      const uncaptioned = current.live.filter((input) => isTextInput(input) && isProbed(input) && canTakeCard(input))
      for (const input of uncaptioned) await typeCardInto(probed, input)
      const since = markActivity(probed.activity)
      if (opener.element.tag === 'select') await chooseValue(probed, opener)
      else if (isTextInput(opener)) await pressEnter(probed, opener)
      else await probed.perform(opener.frame, 'click', opener.selector)
      await probed.settle(afterPressMs)
      await checkPrompts(since)
      observeSending(uncaptioned, since)
      await readAgain()
      const view = describeView(current)
      // The next step often has the same button.
      if (views.has(view)) idlePresses += 1
      else pressed.delete(openerKey(opener))
      views.add(view)
      if (!(await typeNewCards())) await probeOthers()
    }
  }

  /** Of inputs without a caption the press may show what they are for: the page sends their digits in a form that hides them. */
  function observeSending(inputs: readonly LiveElement[], since: ActivityMark): void {
    if (!isCardDisguised(probed.activity.transfers.slice(since.transfers))) return
    for (const { element } of inputs) behaviors.set(element.location.selector ?? '', { isGrouped: false, isDisguised: true })
  }

  /** The answers to the questions of dialogs were typed too. */
  async function checkPrompts(since: ActivityMark): Promise<void> {
    const [asked] = listPromptElements(probed)
    if (asked !== undefined)
      findings.push(...(await checkCardTraces(probed, { context, formOrigin, typedInto: asked, since, knownStorage })))
  }
}

/** An input that turned out to be for a card is reported as one. */
function withdrawNote(findings: FormCheckFinding[], { location }: PageElement): void {
  const index = findings.findIndex(({ rule, selector }) => rule === 'typed-text-sent' && selector === location.selector)
  if (index >= 0) findings.splice(index, 1)
}

function inputKey({ element: { location, attributes, card } }: LiveElement): string {
  return JSON.stringify([location.selector, attributes['placeholder'], attributes['aria-label'], card?.data])
}

function isProbed({ element: { attributes } }: LiveElement): boolean {
  return attributes['readonly'] === undefined && attributes['disabled'] === undefined
}

function canTakeCard({ isUncaptioned, element: { card, tag, attributes } }: LiveElement): boolean {
  return isUncaptioned && card === null && canHoldPan(tag, attributes)
}

const maxProbedInputs = 200
/** Presses that show nothing new, and all. */
const maxIdlePresses = 8
const maxPresses = 24
const afterScrollMs = 2000
const afterTypingMs = 4000
const afterPressMs = 5000
