import type { FormField, FormStep } from '@tessera/contract/frame'

/** A field: its input, where its fault is said, and its label. */
export interface FieldView {
  readonly row: HTMLElement
  readonly label: HTMLElement
  readonly input: HTMLInputElement
  readonly fault: HTMLElement
}

/** Those that are typed into. */
export const fieldNames = ['number', 'expiry', 'code'] as const

export interface View {
  readonly root: HTMLElement
  readonly steps: Readonly<Record<FormStep, HTMLFormElement>>
  readonly fields: Readonly<Record<Exclude<FormField, 'consent'>, FieldView>>
  readonly brand: HTMLElement
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
  readonly fault: HTMLElement
  readonly footer: HTMLElement
  readonly goesTo: HTMLElement
  readonly poweredBy: HTMLElement
  readonly terms: HTMLAnchorElement
  readonly privacy: HTMLAnchorElement
}

/** Makes everything once; steps are shown and hidden. Nothing has a `name`, no form an `action`, and no digit becomes an attribute. */
export function makeView(): View {
  const fields = {
    number: makeField('number', 'cc-number', 'number-row'),
    expiry: makeField('expiry', 'cc-exp', 'expiry-row'),
    code: makeField('code', 'one-time-code', 'code-row'),
  }
  const brand = make('span', 'brand')
  brand.setAttribute('aria-hidden', 'true')
  fields.number.row.querySelector('.box')?.append(brand)
  const [submit, verify] = [makeButton('main', 'submit'), makeButton('main', 'submit')]
  const [resend, back, cancel] = [makeButton('plain resend'), makeButton('plain back'), makeButton('plain')]
  const [sent, done, doneCard, goesTo, poweredBy] = [make('p'), make('h2'), make('p', 'card'), make('p'), make('span')]
  const [terms, privacy] = [makeLink(), makeLink()]
  const consent = makeConsent()
  sent.id = 'sent'
  done.tabIndex = -1
  const steps = {
    card: makeStep('card', fields.number.row, fields.expiry.row, consent.row, submit),
    code: makeStep('code', sent, fields.code.row, verify, group('links', resend, back)),
    done: makeStep('done', done, doneCard),
  }
  const fault = make('p', 'fault whole')
  fault.setAttribute('role', 'alert')
  const progressText = make('span')
  const progress = group('progress', progressText, cancel)
  progress.setAttribute('role', 'status')
  const footer = make('footer')
  footer.setAttribute('role', 'group')
  footer.append(goesTo, group('who', poweredBy, terms, privacy))
  // No landmark: the page that holds the frame has a main part of its own.
  const root = make('div', 'root')
  root.append(fault, steps.card, steps.code, steps.done, progress, footer)
  const parts = { root, steps, fields, brand, consent, submit, sent, verify, resend, back, done, doneCard }
  return { ...parts, progress, progressText, cancel, fault, footer, goesTo, poweredBy, terms, privacy }
}

function makeField(id: string, autocomplete: string, className: string): FieldView {
  const [row, label, input, fault] = [make('div', `row ${className}`), make('label'), make('input'), make('p', 'fault')]
  Object.assign(input, { id, type: 'text', inputMode: 'numeric', autocomplete, spellcheck: false, dir: 'ltr' })
  label.htmlFor = id
  fault.id = `${id}-fault`
  fault.setAttribute('aria-live', 'polite')
  input.setAttribute('aria-describedby', fault.id)
  input.setAttribute('aria-required', 'true')
  row.append(label, group('box', input), fault)
  return { row, label, input, fault }
}

function makeConsent(): View['consent'] {
  const [row, label, box, text, terms] = [make('div', 'consent'), make('label'), make('input'), make('span'), makeLink()]
  box.type = 'checkbox'
  label.append(box, text)
  row.append(label, terms)
  return { row, box, text, terms }
}

function makeStep(step: FormStep, ...parts: HTMLElement[]): HTMLFormElement {
  const form = make('form', step)
  form.noValidate = true
  form.append(...parts)
  return form
}

function makeButton(className: string, type: 'submit' | 'button' = 'button'): HTMLButtonElement {
  const button = make('button', className)
  button.type = type
  return button
}

function makeLink(): HTMLAnchorElement {
  return Object.assign(make('a'), { target: '_blank', rel: 'noopener noreferrer' })
}

function group(className: string, ...parts: HTMLElement[]): HTMLElement {
  const element = make('div', className)
  element.append(...parts)
  return element
}

function make<T extends keyof HTMLElementTagNameMap>(tag: T, className = ''): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag)
  element.className = className
  return element
}
