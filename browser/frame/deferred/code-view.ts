import { createButton, createField, createGroup, createHtml, createStep, type FieldView } from '../view.ts'

import { createSvg } from './card-marks.ts'

/** The elements of the steps after the card. */
export interface LaterView {
  readonly codeForm: HTMLFormElement
  /** The masked number that was sent, with its mark. */
  readonly cardMark: HTMLElement
  readonly cardNumber: HTMLElement
  readonly back: HTMLButtonElement
  readonly sent: HTMLElement
  readonly phone: HTMLElement
  /** The phone for screen readers, digit by digit. */
  readonly phoneAloud: HTMLElement
  readonly code: FieldView
  /** Says that the code has letters. */
  readonly codeHint: HTMLElement
  readonly verify: HTMLButtonElement
  readonly resend: HTMLButtonElement
  readonly help: HTMLElement
  readonly helpSummary: HTMLElement
  readonly helpItems: readonly HTMLElement[]
  readonly doneForm: HTMLFormElement
  readonly done: HTMLElement
  readonly doneMark: HTMLElement
  readonly doneCard: HTMLElement
}

/** Creates the steps after the card, hidden, and puts them before `next`. */
export function createLaterView(next: Element): LaterView {
  const view = {
    cardMark: createHtml('span'),
    cardNumber: createHtml('span'),
    back: createButton('plain back'),
    sent: createHtml('span'),
    phone: createHtml('b'),
    phoneAloud: createHtml('span', 'aloud'),
    code: createField('code', 'one-time-code'),
    codeHint: createHtml('p', 'hint'),
    verify: createButton('main', 'submit'),
    resend: createButton('resend'),
    help: createHtml('details', 'help'),
    helpSummary: createHtml('summary'),
    helpItems: [1, 2, 3, 4].map(() => createHtml('li')),
    done: createHtml('h2'),
    doneMark: createHtml('span'),
    doneCard: createHtml('span'),
  }
  view.codeHint.id = 'code-hint'
  view.code.input.parentElement?.before(view.codeHint)
  view.code.input.setAttribute('aria-describedby', 'sent code-hint code-fault')
  view.phone.setAttribute('aria-hidden', 'true')
  view.phone.dir = 'ltr'
  view.done.tabIndex = -1
  const sentLine = createHtml('p')
  sentLine.id = 'sent'
  sentLine.append(view.sent, ' ', view.phone, view.phoneAloud)
  const list = createHtml('ul')
  list.append(...view.helpItems)
  view.help.append(view.helpSummary, list)
  const codeForm = createStep(
    'code',
    createGroup('card-summary', view.cardMark, view.cardNumber, view.back),
    sentLine,
    view.code.row,
    view.verify,
    view.resend,
    view.help,
  )
  const doneCard = createHtml('p', 'card')
  doneCard.append(view.doneMark, view.doneCard)
  const doneForm = createStep('done', view.done, doneCard)
  doneForm.prepend(drawCheck())
  codeForm.hidden = doneForm.hidden = true
  next.before(codeForm, doneForm)
  return { ...view, codeForm, doneForm }
}

/** A check mark in a circle. */
function drawCheck(): SVGElement {
  const svg = createSvg('svg', { viewBox: '0 0 56 56', width: 56, height: 56, 'aria-hidden': 'true' })
  const stroke = { stroke: 'currentColor', 'stroke-width': 4, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' }
  svg.append(
    createSvg('circle', { cx: 28, cy: 28, r: 28, fill: 'currentColor', opacity: 0.13 }),
    createSvg('path', { d: 'M17 29l8 8 15-17', fill: 'none', pathLength: 1, ...stroke }),
  )
  return svg
}
