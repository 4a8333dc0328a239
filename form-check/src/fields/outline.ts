import type { MarkupElement } from '../element-kinds.ts'
import type { PageLocation } from '../finding.ts'

/** An element of a page in document order. `start` and `end` count elements and texts: what lies between them is inside the element. */
export interface OutlineElement extends MarkupElement {
  readonly parent: OutlineElement | null
  readonly start: number
  readonly end: number
  readonly location: PageLocation
  /** The code of a script; the options of a select, separated by line breaks; otherwise ''. */
  readonly code: string
  readonly isChecked: boolean
}

export interface OutlineText {
  readonly at: number
  readonly text: string
}

/** A page, or what a script writes, as one list of elements and one of texts. Made from the source and from the browser alike. */
export interface Outline {
  readonly elements: readonly OutlineElement[]
  readonly texts: readonly OutlineText[]
}

/** Builds an outline without recursion: a merchant's page may be nested deeper than the stack. */
export class OutlineBuilder {
  readonly #elements: (OutlineElement & { end: number })[] = []
  readonly #texts: OutlineText[] = []
  readonly #open: (OutlineElement & { end: number })[] = []
  #position = 0

  open(element: MarkupElement & Pick<OutlineElement, 'location' | 'code' | 'isChecked'>): OutlineElement {
    const { tag, attributes, location, code, isChecked } = element
    const opened = { tag, attributes, location, code, isChecked, parent: this.#open.at(-1) ?? null, start: this.#position++, end: Infinity }
    this.#elements.push(opened)
    this.#open.push(opened)
    return opened
  }

  close(): void {
    const closed = this.#open.pop()
    if (closed !== undefined) closed.end = this.#position
  }

  text(text: string): void {
    const shown = text.replace(/\s+/g, ' ').trim()
    if (shown !== '') this.#texts.push({ at: this.#position++, text: shown.slice(0, maxTextLength) })
  }

  build(): Outline {
    while (this.#open.length > 0) this.close()
    return { elements: this.#elements, texts: this.#texts }
  }
}

/** The texts between two positions, joined; at most `limit` characters, of the end. */
export function textBetween({ texts }: Outline, from: number, to: number, limit = 2000, separator = ' '): string {
  const parts: string[] = []
  let length = 0
  for (let index = firstAfter(texts, to) - 1; index >= 0 && length < limit; index -= 1) {
    const text = texts[index]
    if (text === undefined || text.at < from) break
    parts.unshift(text.text)
    length += text.text.length + 1
  }
  return parts.join(separator).slice(-limit)
}

/** Everything that a person reads inside the element. */
export function textInside(outline: Outline, element: OutlineElement, limit = 2000): string {
  return textBetween(outline, element.start, element.end, limit)
}

/** The element's ancestors, the nearest first. */
export function* ancestorsOf(element: OutlineElement): Generator<OutlineElement> {
  let count = 0
  for (let ancestor = element.parent; ancestor !== null && count < maxAncestors; ancestor = ancestor.parent, count += 1) yield ancestor
}

/** The index of the first text at or after a position. */
function firstAfter(texts: readonly OutlineText[], position: number): number {
  let low = 0
  let high = texts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((texts[middle]?.at ?? 0) < position) low = middle + 1
    else high = middle
  }
  return low
}

const maxTextLength = 4000
const maxAncestors = 60
