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
  const brand = create('span', 'brand')
  const codeHint = create('p', 'hint')
  codeHint.id = 'code-hint'
  fields.code.row.querySelector('.box')?.before(codeHint)
  fields.code.input.setAttribute('aria-describedby', 'code-hint code-fault')
  brand.setAttribute('aria-hidden', 'true')
  fields.number.row.querySelector('.box')?.append(brand)
  const [submit, verify] = [createButton('main', 'submit'), createButton('main', 'submit')]
  const [resend, back, cancel] = [createButton('plain resend'), createButton('plain back'), createButton('plain')]
  const [sent, done, doneCard, goesTo] = [create('p'), create('h2'), create('p', 'card'), create('p')]
  const [poweredBy, terms, privacy] = [createLink(), createLink(), createLink()]
  const consent = createConsent()
  sent.id = 'sent'
  done.tabIndex = -1
  const fault = create('p', 'fault whole')
  fault.setAttribute('role', 'alert')
  fault.tabIndex = -1
  const steps = {
    card: createStep('card', fields.number.row, fields.expiry.row, consent.row, fault, submit),
    code: createStep('code', sent, fields.code.row, verify, group('links', resend, back)),
    done: createStep('done', done, doneCard),
  }
  const progressText = create('span')
  const progress = group('progress', progressText, cancel)
  progress.setAttribute('role', 'status')
  const footer = create('footer')
  footer.setAttribute('role', 'group')
  footer.append(goesTo, group('who', poweredBy, terms, privacy))
  // Not a main landmark: the page that holds the frame has its own.
  const root = create('div', 'root')
  root.append(steps.card, steps.code, steps.done, progress, footer)
  return {
    root,
    steps,
    fields,
    brand,
    codeHint,
    consent,
    submit,
    sent,
    verify,
    resend,
    back,
    done,
    doneCard,
    progress,
    progressText,
    cancel,
    fault,
    footer,
    goesTo,
    poweredBy,
    terms,
    privacy,
  }
}

/** Without `maxLength`, which would cut off what is pasted with spaces or as a whole message, before it can be read. */
function createField(id: string, autocomplete: string): FieldView {
  const [row, label, input, fault] = [create('div', `row ${id}-row`), create('label'), create('input'), create('p', 'fault')]
  Object.assign(input, { id, type: 'text', inputMode: 'numeric', autocomplete, spellcheck: false, dir: 'ltr' })
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
  return Object.assign(create('a'), { target: '_blank', rel: 'noopener noreferrer' })
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
