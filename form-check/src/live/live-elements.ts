import type { Frame } from 'playwright-core'

import type { PageContext } from '../check-elements.ts'
import { isTypedInto, type TypingBehavior } from '../fields/card-fields.ts'
import { LabelReader, type FieldTexts } from '../fields/labels.ts'
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
  /** What a person reads of an input, a heading too; '' for what is pressed. */
  readonly caption: string
  /** The options of a select. */
  readonly options: readonly string[]
  /** Whether it is pressed though it is neither a button nor a link. */
  readonly isClickable: boolean
}

/** The page as the browser shows it at one moment. */
export interface LivePage {
  readonly elements: readonly PageElement[]
  /** Everything people type into or press, in document order. */
  readonly live: readonly LiveElement[]
  /** The end of what a person reads, without digits: clocks and sums change by themselves. */
  readonly words: string
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
  let words = ''
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
    const clickable = new Set([...rendered.snapshots].flatMap(([element, { isClickable }]) => (isClickable ? [element] : [])))
    const own = listPageElements(rendered.outline, `frame ${index} `, { behaviors: observed, clickable })
    const captions = readCaptions(rendered.outline)
    words += rendered.outline.texts.map(({ text }) => text.replace(/\d+/g, '')).join(' ')
    elements.push(...own)
    for (const element of own) {
      const snapshot = snapshots.get(element.location)
      if (snapshot === undefined) continue
      const { selector, isVisible, isClickable, tag, code } = snapshot
      const { own: ownTexts = [], heading = '' } = captions.get(element.location) ?? {}
      live.push({
        element,
        frame,
        selector,
        isVisible,
        isClickable,
        isUncaptioned: captions.has(element.location) && ownTexts.length === 0,
        caption: [heading, ...ownTexts].join(' ').trim(),
        options: tag === 'select' ? code.split('\n') : [],
      })
    }
  }
  return {
    elements,
    live,
    words: words.slice(-maxWordsLength),
    form: page.frames().find((frame) => isServiceFrame(frame, context)) ?? null,
  }
}

function readCaptions(outline: Outline): ReadonlyMap<PageLocation, FieldTexts> {
  const inputs = outline.elements.filter((element) => isTypedInto(element)).slice(0, maxCaptionInputs)
  const reader = new LabelReader(outline, inputs)
  return new Map(inputs.map((input) => [input.location, reader.read(input, null)]))
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
const maxWordsLength = 6000
const maxCaptionInputs = 200
