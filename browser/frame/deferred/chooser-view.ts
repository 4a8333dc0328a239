import type { FormTexts } from '../texts.ts'
import type { SavedCardOffer } from '../saved-cards.ts'
import { createButton, createGroup, createHtml } from '../view.ts'

import { markOf } from './brands.ts'
import { createSvg } from './card-marks.ts'
import { formatMask, spellDigits } from './masks.ts'
import type { SavedCardChoice } from './saved-card-choice.ts'

export interface ChooserView {
  readonly root: HTMLElement
  /** Leads from the fields back to the saved cards. */
  readonly toList: HTMLButtonElement
  readonly list: HTMLFieldSetElement
  readonly legend: HTMLElement
  readonly rows: HTMLElement
  readonly add: HTMLButtonElement
  /** Says aloud that a card was removed. */
  readonly status: HTMLElement
}

/** Creates the saved cards, hidden, without rows and texts. */
export function createChooserView(): ChooserView {
  const view = {
    toList: createButton('plain to-list'),
    list: createHtml('fieldset', 'saved'),
    legend: createHtml('legend'),
    rows: createHtml('div', 'saved-rows'),
    add: createButton('add'),
    status: createHtml('p', 'aloud'),
  }
  view.status.setAttribute('role', 'status')
  view.list.append(view.legend, view.rows, view.add)
  const root = createGroup('chooser', view.toList, view.list, view.status)
  root.hidden = true
  return { ...view, root }
}

export interface RowActions {
  readonly choose: (id: string) => void
  /** Null: the card is kept. */
  readonly ask: (id: string | null) => void
  readonly remove: (id: string) => void
}

/** Writes a row for each card: a radio button, or the question whether to remove the card. */
export function renderRows({ rows }: ChooserView, choice: SavedCardChoice, texts: FormTexts, actions: RowActions): void {
  rows.replaceChildren(
    ...choice.cards.map((card) =>
      card.id === choice.removing ? createQuestion(card, texts, actions) : createRow(card, card.id === choice.chosen, texts, actions),
    ),
  )
}

function createRow(card: SavedCardOffer, isChosen: boolean, texts: FormTexts, { choose, ask }: RowActions): HTMLElement {
  const [label, radio, what, remove] = [createHtml('label'), createHtml('input'), createHtml('span', 'what'), createButton('plain remove')]
  Object.assign(radio, { type: 'radio', name: 'saved', value: card.id, checked: isChosen, disabled: card.expired })
  radio.addEventListener('change', () => choose(card.id))
  what.append(...describeCard(card, texts))
  label.append(radio, ...markOf(card.number), what)
  remove.textContent = texts.remove ?? ''
  remove.setAttribute('aria-label', `${texts.remove ?? ''}: ${spellCard(card, texts)}`)
  remove.addEventListener('click', () => ask(card.id))
  return createGroup(card.expired ? 'saved-row expired' : 'saved-row', label, remove)
}

/** The masked number as it stands on the card, and for screen readers its last digits one by one. */
function describeCard(card: SavedCardOffer, texts: FormTexts): HTMLElement[] {
  const [shown, aloud, expired] = [createHtml('span', 'mask'), createHtml('span', 'aloud'), createHtml('span', 'tag')]
  shown.textContent = formatMask(card.number)
  shown.dir = 'ltr'
  shown.setAttribute('aria-hidden', 'true')
  aloud.textContent = spellCard(card, texts)
  expired.textContent = texts.expired ?? ''
  return card.expired ? [shown, aloud, expired] : [shown, aloud]
}

function createQuestion(card: SavedCardOffer, texts: FormTexts, { ask, remove }: RowActions): HTMLElement {
  const [text, yes, no] = [createHtml('p'), createButton('plain danger'), createButton('plain keep')]
  text.id = 'remove-ask'
  text.textContent = (texts.removeAsk ?? '').replace('{0}', formatMask(card.number))
  yes.textContent = texts.remove ?? ''
  no.textContent = texts.keep ?? ''
  no.setAttribute('aria-describedby', text.id)
  yes.addEventListener('click', () => remove(card.id))
  no.addEventListener('click', () => ask(null))
  const row = createGroup('saved-row question', text, createGroup('answers', no, yes))
  row.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') ask(null)
  })
  return row
}

function spellCard({ number }: SavedCardOffer, texts: FormTexts): string {
  return `${brandNames[brandOf(number)] ?? ''} ${(texts.endingIn ?? '').replace('{0}', spellDigits(number.slice(-4)))}`.trim()
}

function brandOf(number: string): string {
  const [mark] = markOf(number)
  return mark?.dataset['brand'] ?? ''
}

const brandNames: Readonly<Record<string, string>> = {
  uzcard: 'Uzcard',
  humo: 'Humo',
  visa: 'Visa',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  mir: 'Mir',
}

/** A sign before a text, drawn in a box of 18 by 18. */
export function drawSign(path: string): SVGElement {
  const svg = createSvg('svg', { viewBox: '0 0 18 18', width: 18, height: 18, 'aria-hidden': 'true' })
  const stroke = { fill: 'none', stroke: 'currentColor', 'stroke-width': 2, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' }
  svg.append(createSvg('path', { d: path, ...stroke }))
  return svg
}
