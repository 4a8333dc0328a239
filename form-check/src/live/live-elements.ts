import type { Frame } from 'playwright-core'

import type { PageContext } from '../check-elements.ts'
import { isTypedInto, type TypingBehavior } from '../fields/card-fields.ts'
import { LabelReader } from '../fields/labels.ts'
import type { Outline, OutlineElement } from '../fields/outline.ts'
import { buildPromptOutline } from '../fields/script-fields.ts'
import { noLocation, type PageLocation } from '../finding.ts'
import { isCardInput, isSadInput, listPageElements, type PageElement } from '../page-elements.ts'

import type { ElementSnapshot } from './probe-protocol.ts'
import type { ProbedPage } from './probed-page.ts'
import { buildRenderedOutline } from './snapshot-outline.ts'

/** An element that can be focused or pressed through the probe of its frame. */
export interface LiveElement {
  readonly element: PageElement
  readonly frame: Frame
  /** The selector that the probe knows it by. */
  readonly selector: string
  readonly isVisible: boolean
  /** Whether nothing but a heading says what is typed into it. */
  readonly isUncaptioned: boolean
}

/** The page as the browser shows it at one moment. */
export interface LivePage {
  readonly elements: readonly PageElement[]
  /** Everything people type into or press, in document order. */
  readonly live: readonly LiveElement[]
  /** The service's frame; null when it is not in the page. */
  readonly form: Frame | null
}

/** Behavior that was observed, by the location of the input. */
export type ObservedBehaviors = Map<string, TypingBehavior>

/** Reads every element of the page, its shadow roots and its frames, except the service's frame, and judges what each input asks for. */
export async function readLivePage(probed: ProbedPage, context: PageContext, behaviors: ObservedBehaviors = new Map()): Promise<LivePage> {
  const { page } = probed
  const elements: PageElement[] = []
  const live: LiveElement[] = []
  for (const [index, frame] of page.frames().slice(0, maxFrames).entries()) {
    if (isServiceFrame(frame, context)) continue
    const prefix = frame === page.mainFrame() ? '' : `${frame.url().slice(0, 200)} `
    const rendered = buildRenderedOutline((await probed.takeSnapshot(frame))?.items ?? [], prefix)
    const observed = new Map<OutlineElement, TypingBehavior>(
      [...rendered.snapshots.keys()].flatMap((element) => {
        const behavior = behaviors.get(element.location.selector ?? '')
        return behavior === undefined ? [] : [[element, behavior] as const]
      }),
    )
    const snapshots = new Map<PageLocation, ElementSnapshot>(
      [...rendered.snapshots].map(([{ location }, snapshot]) => [location, snapshot]),
    )
    const own = listPageElements(rendered.outline, `frame ${index} `, { behaviors: observed })
    const uncaptioned = findUncaptionedInputs(rendered.outline)
    elements.push(...own)
    for (const element of own) {
      const snapshot = snapshots.get(element.location)
      const isUncaptioned = uncaptioned.has(element.location)
      if (snapshot !== undefined) live.push({ element, frame, selector: snapshot.selector, isVisible: snapshot.isVisible, isUncaptioned })
    }
  }
  return { elements, live, form: page.frames().find((frame) => isServiceFrame(frame, context)) ?? null }
}

function findUncaptionedInputs(outline: Outline): ReadonlySet<PageLocation> {
  const inputs = outline.elements.filter((element) => isTypedInto(element)).slice(0, maxCaptionInputs)
  const reader = new LabelReader(outline, inputs)
  return new Set(inputs.filter((input) => reader.read(input, null).own.length === 0).map(({ location }) => location))
}

/** Card inputs and scripts that were removed again before the page was read. */
export function listRemovedElements({ activity }: ProbedPage, present: readonly PageElement[], context: PageContext): PageElement[] {
  const scripts = activity.addedScripts
    .filter(({ frame }) => !isServiceFrame(frame, context))
    .flatMap(({ element }) => listPageElements(buildRenderedOutline([element, null]).outline, 'removed '))
    .filter((script) => !present.some((other) => isTextPrefix(script, other)))
  const inputs = activity.addedFields
    .filter(({ frame }) => !isServiceFrame(frame, context))
    .flatMap(({ items }) => listPageElements(buildRenderedOutline(items).outline, 'removed '))
    .filter((element) => isCardInput(element) || isSadInput(element))
  const keys = new Set(present.map(elementKey))
  return [...scripts, ...inputs].filter((element) => {
    const isNew = !keys.has(elementKey(element))
    keys.add(elementKey(element))
    return isNew
  })
}

/** What dialogs of the page asked for, where it is card data. */
export function listPromptElements({ activity: { questions } }: ProbedPage): PageElement[] {
  const prompts = questions.map((question) => ({ question, location: { ...noLocation, selector: 'prompt()' } }))
  return listPageElements(buildPromptOutline(prompts), 'prompts ').filter((element) => isCardInput(element) || isSadInput(element))
}

/** Whether the element is an input, visible, in which people type text. */
export function isTextInput({ element: { tag, attributes }, isVisible }: LiveElement): boolean {
  return (
    isVisible &&
    tag !== 'select' &&
    isTypedInto({ tag, attributes }) &&
    !/^(date|time|datetime-local|month|week)$/i.test(attributes['type'] ?? '')
  )
}

export function isServiceFrame(frame: Frame, { origin, formOrigin }: PageContext): boolean {
  const url = URL.parse(frame.url())
  if (url === null || !/^\/form\/v1(\/|$)/.test(url.pathname)) return false
  return formOrigin === null ? url.origin !== origin : url.origin === formOrigin
}

/**
 * Identifies an element across reports. Position and attributes may change after a script added it, so a script is identified by its
 * address or code, and an input by the attributes that name it.
 */
function elementKey({ tag, attributes, text, card }: PageElement): string {
  const names = [attributes['id'], attributes['name'], attributes['autocomplete'], attributes['placeholder'], card?.data]
  return JSON.stringify([tag, attributes['src'] ?? '', tag === 'script' ? text : names])
}

/** An inline script that was reported while the parser was still reading it has only the beginning of its text. */
function isTextPrefix(element: PageElement, complete: PageElement): boolean {
  const areInline = [element, complete].every(({ tag, attributes }) => tag === 'script' && attributes['src'] === undefined)
  return areInline && complete.text.startsWith(element.text)
}

const maxFrames = 30
const maxCaptionInputs = 200
