import { createHtml, createButton, createField, createGroup, createStep, type FieldView } from '../view.ts'

/** The elements of the steps after the card. */
export interface LaterView {
  readonly codeForm: HTMLFormElement
  readonly sent: HTMLElement
  readonly code: FieldView
  /** Says that the code has letters. */
  readonly codeHint: HTMLElement
  readonly verify: HTMLButtonElement
  readonly resend: HTMLButtonElement
  readonly back: HTMLButtonElement
  readonly doneForm: HTMLFormElement
  readonly done: HTMLElement
  readonly doneCard: HTMLElement
}

/** Creates the steps after the card, hidden, and puts them before `next`. */
export function createLaterView(next: Element): LaterView {
  const view = {
    sent: createHtml('p'),
    code: createField('code', 'one-time-code'),
    codeHint: createHtml('p', 'hint'),
    verify: createButton('main', 'submit'),
    resend: createButton('plain resend'),
    back: createButton('plain back'),
    done: createHtml('h2'),
    doneCard: createHtml('p', 'card'),
  }
  view.codeHint.id = 'code-hint'
  view.code.input.parentElement?.before(view.codeHint)
  view.code.input.setAttribute('aria-describedby', 'code-hint code-fault')
  view.sent.id = 'sent'
  view.done.tabIndex = -1
  const codeForm = createStep('code', view.sent, view.code.row, view.verify, createGroup('links', view.resend, view.back))
  const doneForm = createStep('done', view.done, view.doneCard)
  codeForm.hidden = doneForm.hidden = true
  next.before(codeForm, doneForm)
  return { ...view, codeForm, doneForm }
}
