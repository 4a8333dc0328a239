import { formatOf } from './formats.ts'
import { ancestorsOf, textBetween, textInside, type Outline, type OutlineElement } from './outline.ts'

/** What a person reads about an input: beside it, and above it. */
export interface FieldTexts {
  /** Its label, placeholder and title, the most binding first. */
  readonly own: readonly string[]
  /** A heading that stands where the label of the input would; ''. It is the label of an input that has no other. */
  readonly heading: string
  /** Texts around it, the nearest first: the legend, headings, the text of its group, the title of the page. */
  readonly around: readonly string[]
  /** Of these the names of the groups alone: legends, and labels of dialogs, forms and regions. */
  readonly groups: readonly string[]
  /** The text before it in its group, for instructions and questions. */
  readonly before: string
}

/** Reads labels of the inputs of one outline. */
export class LabelReader {
  readonly #outline: Outline
  /** Without the texts of buttons: “Save” beside an input is not its label. */
  readonly #unpressed: Outline
  readonly #fields: readonly OutlineElement[]
  readonly #byId: ReadonlyMap<string, OutlineElement>
  readonly #labelsFor: ReadonlyMap<string, readonly OutlineElement[]>
  readonly #headings: readonly OutlineElement[]
  readonly #paragraphs: readonly OutlineElement[]
  readonly #pageTexts: readonly string[]
  readonly #positions: ReadonlyMap<OutlineElement, number>
  readonly #cells: ReadonlyMap<OutlineElement | null, readonly OutlineElement[]>
  readonly #rows: readonly OutlineElement[]

  constructor(outline: Outline, fields: readonly OutlineElement[]) {
    this.#outline = outline
    this.#unpressed = withoutButtons(outline)
    this.#fields = fields
    this.#byId = new Map(
      outline.elements
        .filter(({ attributes }) => (attributes['id'] ?? '') !== '')
        .map((element) => [element.attributes['id'] ?? '', element]),
    )
    const labels = outline.elements.filter(({ tag, attributes }) => tag === 'label' && (attributes['for'] ?? '') !== '')
    this.#labelsFor = Map.groupBy(labels, ({ attributes }) => attributes['for'] ?? '')
    this.#headings = outline.elements.filter(isHeading)
    this.#paragraphs = outline.elements.filter(({ tag }) => /^(p|div|span|label|b|strong|dt)$/.test(tag))
    this.#positions = new Map(fields.map((field, index) => [field, index]))
    this.#cells = Map.groupBy(
      outline.elements.filter(({ tag }) => tag === 'td' || tag === 'th'),
      ({ parent }) => parent,
    )
    this.#rows = outline.elements.filter(({ tag }) => tag === 'tr')
    const titles = outline.elements.filter(({ tag }) => tag === 'title' || tag === 'h1')
    this.#pageTexts = titles.map((title) => textInside(outline, title, 200)).filter((text) => text !== '')
  }

  read(field: OutlineElement, group: OutlineElement | null): FieldTexts {
    const { attributes } = field
    const labelled = [
      ...this.#idTexts(attributes['aria-labelledby']),
      attributes['aria-label'] ?? '',
      ...(this.#labelsFor.get(attributes['id'] ?? '') ?? []).map((label) => this.#labelText(label)),
      ...this.#wrappingLabel(field),
    ].filter((text) => text.trim() !== '')
    const hints = ['placeholder', 'data-placeholder', 'title', 'data-label', 'label', 'aria-placeholder', 'data-original-title']
    const hintTexts = [...hints.map((name) => attributes[name] ?? ''), ...this.#idTexts(attributes['aria-describedby'])]
    // What a style sheet draws in an empty editable element is its placeholder.
    const inside = textInside(this.#outline, field, 60)
    // A custom element that is an input has its label inside.
    if (field.tag.includes('-')) labelled.push(textInside(this.#outline, field, maxLabelLength))
    if (formatOf(inside) !== null) hintTexts.push(inside)
    const headings = this.#headingsAbove(field)
    const beside = labelled.length === 0 ? this.#textBeside(field) : ''
    if (labelled.length === 0 && beside === '' && hintTexts.every((text) => text.trim() === '')) labelled.push(this.#paragraphBefore(field))
    const isHeading = headings.includes(beside)
    const groups = this.#groupNames(field)
    return {
      own: [...labelled, isHeading ? '' : beside, ...hintTexts].map((text) => text.trim()).filter((text) => text !== ''),
      heading: isHeading ? beside : '',
      around: [...groups, ...headings, ...(group === null ? [] : [this.#groupText(group)]), ...this.#pageTexts],
      groups,
      before: this.#instructionBefore(field, group),
    }
  }

  /** The label of a checkbox: around it, bound to it, or after it. */
  readCheckbox(box: OutlineElement): string {
    const { attributes } = box
    const around = [...ancestorsOf(box)].find(({ tag }) => tag === 'label')
    const texts = [
      ...this.#idTexts(attributes['aria-labelledby']),
      attributes['aria-label'] ?? '',
      ...(this.#labelsFor.get(attributes['id'] ?? '') ?? []).map((label) => this.#labelText(label)),
      around === undefined ? '' : textInside(this.#outline, around, maxLabelLength),
    ].filter((text) => text !== '')
    return texts.length > 0 ? texts.join(' ') : textBetween(this.#outline, box.end, box.parent?.end ?? box.end, maxLabelLength)
  }

  #idTexts(ids: string | undefined): string[] {
    const elements = (ids ?? '').split(/\s+/).map((id) => this.#byId.get(id))
    return elements.flatMap((element) => (element === undefined ? [] : [textInside(this.#outline, element, maxLabelLength)]))
  }

  #labelText(label: OutlineElement): string {
    return [textInside(this.#outline, label, maxLabelLength), label.attributes['data-label'] ?? label.attributes['title'] ?? '']
      .join(' ')
      .trim()
  }

  /** A label around several inputs names the first: for another one only the text since the input before it counts. */
  #wrappingLabel(field: OutlineElement): string[] {
    for (const ancestor of ancestorsOf(field)) {
      if (ancestor.tag !== 'label') continue
      const previous = this.#fieldBefore(field)
      const from = previous !== null && previous.start > ancestor.start ? previous.end : ancestor.start
      const before = textBetween(this.#outline, from, field.start, maxLabelLength)
      return [before === '' ? textInside(this.#outline, ancestor, maxLabelLength) : before]
    }
    return []
  }

  /** The text that stands before the input, since the input before it; in a table also the head of the row or the column; or else the text after it. */
  #textBeside(field: OutlineElement): string {
    const previous = this.#fieldBefore(field)
    const previousEnd = previous?.end ?? 0
    // The second part of `[month] / [year]` has the name of the first.
    if (previous !== null && /^[/–—-]$/.test(textBetween(this.#unpressed, previousEnd, field.start, 3))) return this.#textBeside(previous)
    const head = field.tag === 'td' ? this.#columnHead(field) : ''
    if (head !== '') return head
    let level = 0
    for (const ancestor of ancestorsOf(field)) {
      if (level++ > maxLabelLevels || /^(body|html|main|section|article)$/.test(ancestor.tag)) break
      const before = textBetween(this.#unpressed, Math.max(ancestor.start, previousEnd), field.start, maxLabelLength + 1)
      if (hasWord(before)) return before.length > maxLabelLength ? '' : before
      if (ancestor.tag === 'td') {
        const head = this.#columnHead(ancestor)
        if (head !== '') return head
      }
      const next = this.#fieldAfter(field)
      const after = textBetween(this.#unpressed, field.end, Math.min(ancestor.end, next?.start ?? Infinity), maxLabelLength + 1)
      if (hasWord(after) && after.length <= maxLabelLength / 2 && level <= 2) return after
      if (ancestor.tag === 'form' || ancestor.tag === 'fieldset') break
    }
    return this.#bareTextBefore(field, previousEnd)
  }

  /** Text that stands directly in the page before the input, as in `Card: <input>` without any element around. */
  #bareTextBefore(field: OutlineElement, from: number): string {
    const before = textBetween(this.#unpressed, Math.max(from, field.parent?.start ?? 0), field.start, maxLabelLength + 1)
    return before.length > maxLabelLength ? '' : before
  }

  /** An input that has no text at all, not even a placeholder, stands under the short paragraph before it. */
  #paragraphBefore(field: OutlineElement): string {
    const from = this.#fieldBefore(field)?.end ?? 0
    const paragraph = this.#paragraphs.findLast(({ end }) => end <= field.start)
    if (paragraph === undefined || paragraph.start < from) return ''
    const text = textInside(this.#unpressed, paragraph, maxParagraphLabelLength + 1)
    const between = textBetween(this.#unpressed, paragraph.end, field.start, 10)
    return text.length > maxParagraphLabelLength || hasWord(between) ? '' : text
  }

  /** The text before the input in its group; a group of nothing else, such as the line of a chat, is asked by what stands before it. */
  #instructionBefore(field: OutlineElement, group: OutlineElement | null): string {
    if (group === null) return ''
    const before = textBetween(this.#outline, group.start, field.start, maxInstructionLength)
    return before === '' ? textBetween(this.#outline, 0, field.start, maxQuestionLength) : before
  }

  #columnHead(cell: OutlineElement): string {
    const row = cell.parent
    const table = [...ancestorsOf(cell)].find(({ tag }) => tag === 'table')
    if (row === null || table === undefined) return ''
    const index = this.#cells.get(row)?.indexOf(cell) ?? -1
    const first = this.#rows.find(({ start }) => start > table.start && start < table.end)
    const head = first === undefined || first === row ? undefined : this.#cells.get(first)?.[index]
    return head === undefined ? '' : textInside(this.#outline, head, maxLabelLength)
  }

  /** Names of groups around the input: legends, and labels of dialogs, forms and regions. */
  #groupNames(field: OutlineElement): string[] {
    const names: string[] = []
    for (const ancestor of ancestorsOf(field)) {
      const { tag, attributes } = ancestor
      if (/^(body|html)$/.test(tag)) break
      names.push(attributes['aria-label'] ?? '', ...this.#idTexts(attributes['aria-labelledby']))
      if (tag === 'fieldset') {
        const legend = this.#headings.find(
          (heading) => heading.tag === 'legend' && heading.start > ancestor.start && heading.start < ancestor.end,
        )
        if (legend !== undefined) names.push(textInside(this.#outline, legend, maxLabelLength))
      }
    }
    return names.filter((name) => name.trim() !== '')
  }

  /** The headings under which the input stands: the last one before it, and those around that. */
  #headingsAbove(field: OutlineElement): string[] {
    const before = this.#headings.filter(({ start }) => start < field.start).slice(-maxHeadings)
    const texts: string[] = []
    let rank = 7
    for (const heading of before.toReversed()) {
      const own = rankOf(heading)
      if (own >= rank) continue
      rank = own
      texts.push(textInside(this.#outline, heading, maxLabelLength))
    }
    return texts.filter((text) => text !== '')
  }

  #groupText(group: OutlineElement): string {
    // Labels that follow each other are no phrase: “Guest”, “Card number”.
    return /^(body|html)$/.test(group.tag) ? '' : textBetween(this.#outline, group.start, group.end, maxGroupTextLength, ', ')
  }

  #fieldBefore(field: OutlineElement): OutlineElement | null {
    return this.#fields[(this.#positions.get(field) ?? 0) - 1] ?? null
  }

  #fieldAfter(field: OutlineElement): OutlineElement | null {
    return this.#fields[(this.#positions.get(field) ?? 0) + 1] ?? null
  }
}

function withoutButtons({ elements, texts }: Outline): Outline {
  const buttons = elements.filter(({ tag }) => tag === 'button')
  let index = 0
  const isOutside = (at: number): boolean => {
    while ((buttons[index]?.end ?? Infinity) <= at) index += 1
    return at < (buttons[index]?.start ?? Infinity)
  }
  return { elements, texts: texts.filter(({ at }) => isOutside(at)) }
}

function hasWord(text: string): boolean {
  return /[\p{L}\p{N}№#_*•]/u.test(text)
}

function isHeading({ tag, attributes }: OutlineElement): boolean {
  return /^(h[1-6]|legend|caption|summary)$/.test(tag) || attributes['role'] === 'heading'
}

function rankOf({ tag, attributes }: OutlineElement): number {
  if (/^h[1-6]$/.test(tag)) return Number(tag[1])
  return attributes['role'] === 'heading' ? Number(attributes['aria-level'] ?? 2) : 6
}

const maxLabelLength = 120
const maxParagraphLabelLength = 60
const maxLabelLevels = 5
const maxInstructionLength = 600
const maxQuestionLength = 200
const maxGroupTextLength = 1500
const maxHeadings = 30
