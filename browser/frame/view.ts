import type { FormField, FormStep } from '@tessera/contract/frame'

/** A field: its label, its input, and the element that shows its error. */
export interface FieldView {
  readonly row: HTMLElement
  readonly label: HTMLElement
  readonly input: HTMLInputElement
  readonly fault: HTMLElement
}

/** The fields that the cardholder types into. */
export const fieldNames = ['number', 'expiry', 'code'] as const

export interface FormView {
  readonly root: HTMLElement
  readonly steps: Readonly<Record<FormStep, HTMLFormElement>>
  readonly fields: Readonly<Record<Exclude<FormField, 'consent'>, FieldView>>
  readonly brand: HTMLElement
  /** Says that the code has letters. */
  readonly codeHint: HTMLElement
  readonly consent: {
    readonly row: HTMLElement
    readonly box: HTMLInputElement
    readonly text: HTMLElement
    readonly terms: HTMLAnchorElement
  }
  readonly submit: HTMLButtonElement
  readonly sent: HTMLElement
  readonly verify: HTMLButtonElement
  readonly resend: HTMLButtonElement
  readonly back: HTMLButtonElement
  readonly done: HTMLElement
  readonly doneCard: HTMLElement
  readonly progress: HTMLElement
  readonly progressText: HTMLElement
  readonly cancel: HTMLButtonElement
  /** An error that belongs to no field. It stands before the button of its step. */
  readonly fault: HTMLElement
  readonly footer: HTMLElement
  readonly goesTo: HTMLElement
  readonly poweredBy: HTMLAnchorElement
  readonly terms: HTMLAnchorElement
  readonly privacy: HTMLAnchorElement
}

/** Creates every element once; steps are shown and hidden. No input has a `name`, no form an `action`, and no digit is written to an attribute. */
export function createFormView(): FormView {
  const fields = {
    number: createField('number', 'cc-number'),
    expiry: createField('expiry', 'cc-exp'),
    code: createField('code', 'one-time-code'),
  }
  const view = {
    fields,
    brand: create('span', 'brand'),
    codeHint: create('p', 'hint'),
    consent: createConsent(),
    submit: createButton('main', 'submit'),
    sent: create('p'),
    verify: createButton('main', 'submit'),
    resend: createButton('plain resend'),
    back: createButton('plain back'),
    done: create('h2'),
    doneCard: create('p', 'card'),
    progressText: create('span'),
    cancel: createButton('plain'),
    fault: create('p', 'fault whole'),
    footer: create('footer'),
    goesTo: create('p'),
    poweredBy: createLink(),
    terms: createLink(),
    privacy: createLink(),
  }
  const { number, expiry, code } = fields
  view.codeHint.id = 'code-hint'
  code.input.parentElement?.before(view.codeHint)
  code.input.setAttribute('aria-describedby', 'code-hint code-fault')
  view.brand.setAttribute('aria-hidden', 'true')
  number.input.after(view.brand)
  view.sent.id = 'sent'
  view.done.tabIndex = view.fault.tabIndex = -1
  view.fault.setAttribute('role', 'alert')
  const steps = {
    card: createStep('card', number.row, expiry.row, view.consent.row, view.fault, view.submit),
    code: createStep('code', view.sent, code.row, view.verify, group('links', view.resend, view.back)),
    done: createStep('done', view.done, view.doneCard),
  }
  const progress = group('progress', view.progressText, view.cancel)
  progress.setAttribute('role', 'status')
  view.footer.setAttribute('role', 'group')
  view.footer.append(view.goesTo, group('who', view.poweredBy, view.terms, view.privacy))
  // Not a main landmark: the page that holds the frame has its own.
  const root = group('root', steps.card, steps.code, steps.done, progress, view.footer)
  return { ...view, root, steps, progress }
}

/** Without `maxLength`, which would cut off what is pasted with spaces or as a whole message, before it can be read. */
function createField(id: string, autocomplete: string): FieldView {
  const [row, label, input, fault] = [create('div', `row ${id}-row`), create('label'), create('input'), create('p', 'fault')]
  Object.assign(input, { id, inputMode: 'numeric', autocomplete, spellcheck: false, dir: 'ltr' })
  label.htmlFor = id
  fault.id = `${id}-fault`
  fault.setAttribute('aria-live', 'polite')
  input.setAttribute('aria-describedby', fault.id)
  input.setAttribute('aria-required', 'true')
  row.append(label, group('box', input), fault)
  return { row, label, input, fault }
}

function createConsent(): FormView['consent'] {
  const [row, label, box, text, terms] = [create('div', 'consent'), create('label'), create('input'), create('span'), createLink()]
  box.type = 'checkbox'
  label.append(box, text)
  row.append(label, terms)
  return { row, box, text, terms }
}

function createStep(step: FormStep, ...children: HTMLElement[]): HTMLFormElement {
  const form = create('form', step)
  form.noValidate = true
  form.append(...children)
  return form
}

function createButton(className: string, type: 'submit' | 'button' = 'button'): HTMLButtonElement {
  const button = create('button', className)
  button.type = type
  return button
}

function createLink(): HTMLAnchorElement {
  return Object.assign(create('a'), { target: '_blank', rel: 'noreferrer' })
}

function group(className: string, ...children: HTMLElement[]): HTMLElement {
  const element = create('div', className)
  element.append(...children)
  return element
}

function create<T extends keyof HTMLElementTagNameMap>(tag: T, className = ''): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag)
  element.className = className
  return element
}
