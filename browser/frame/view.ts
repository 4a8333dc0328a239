import type { FormStep } from '@tessera/contract/frame'

/** A field: its label, its input, and the element that shows its error. */
export interface FieldView {
  readonly row: HTMLElement
  readonly label: HTMLElement
  readonly input: HTMLInputElement
  readonly fault: HTMLElement
}

/** The elements of the first step, and of what stands below every step. */
export interface FormView {
  readonly root: HTMLElement
  readonly card: HTMLFormElement
  readonly number: FieldView
  readonly expiry: FieldView
  readonly consent: {
    readonly row: HTMLElement
    readonly box: HTMLInputElement
    readonly text: HTMLElement
    readonly terms: HTMLAnchorElement
  }
  readonly submit: HTMLButtonElement
  readonly progress: HTMLElement
  readonly progressText: HTMLElement
  readonly cancel: HTMLButtonElement
  /** An error that belongs to no field. It stands before the button of its step. */
  readonly fault: HTMLElement
  /** Consent and legal texts, in one block. */
  readonly footer: HTMLElement
  readonly goesTo: HTMLElement
  /** Says that this is the test environment. */
  readonly test: HTMLElement
  readonly poweredBy: HTMLAnchorElement
  readonly terms: HTMLAnchorElement
  readonly privacy: HTMLAnchorElement
}

/** Creates every element once; steps are shown and hidden. No input has a `name`, no form an `action`, and no digit is written to an attribute. */
export function createFormView(): FormView {
  const view = {
    number: createField('number', 'cc-number'),
    expiry: createField('expiry', 'cc-exp'),
    consent: createConsent(),
    submit: createButton('main', 'submit'),
    progressText: createHtml('span'),
    cancel: createButton('plain'),
    fault: createHtml('p', 'fault whole'),
    footer: createHtml('footer'),
    goesTo: createHtml('span'),
    test: createHtml('span', 'test'),
    poweredBy: createLink(),
    terms: createLink(),
    privacy: createLink(),
  }
  view.fault.tabIndex = -1
  view.fault.setAttribute('role', 'alert')
  const card = createStep('card', view.number.row, view.expiry.row, view.footer, view.fault, view.submit)
  const progress = createGroup('progress', view.progressText, view.cancel)
  progress.setAttribute('role', 'status')
  view.footer.setAttribute('role', 'group')
  const lock = createHtml('p')
  lock.append(drawLock(), view.goesTo)
  view.footer.append(view.consent.row, lock, createGroup('who', view.poweredBy, view.terms, view.privacy, view.test))
  // Not a main landmark: the page that holds the frame has its own.
  const root = createGroup('root', card, progress)
  return { ...view, root, card, progress }
}

function drawLock(): SVGElement {
  const create = (name: string): SVGElement => document.createElementNS('http://www.w3.org/2000/svg', name)
  const [svg, path] = [create('svg'), create('path')]
  for (const [name, value] of [
    ['class', 'lock'],
    ['width', '11'],
    ['height', '14'],
    ['aria-hidden', 'true'],
  ] as const)
    svg.setAttribute(name, value)
  path.setAttribute('d', 'M2 6V4a3.5 3.5 0 0 1 7 0v2h1q1 0 1 1v6q0 1-1 1H1q-1 0-1-1V7q0-1 1-1zm1.6 0h3.8V4a1.9 1.9 0 0 0-3.8 0z')
  svg.append(path)
  return svg
}

/** Without `maxLength`, which would cut off what is pasted with spaces or as a whole message, before it can be read. */
export function createField(id: string, autocomplete: string): FieldView {
  const [row, label, input, fault] = [
    createHtml('div', `row ${id}-row`),
    createHtml('label'),
    createHtml('input'),
    createHtml('p', 'fault'),
  ]
  Object.assign(input, { id, inputMode: 'numeric', autocomplete, spellcheck: false, dir: 'ltr' })
  label.htmlFor = id
  fault.id = `${id}-fault`
  fault.setAttribute('aria-live', 'polite')
  input.setAttribute('aria-describedby', fault.id)
  input.setAttribute('aria-required', 'true')
  row.append(label, createGroup('box', input), fault)
  return { row, label, input, fault }
}

function createConsent(): FormView['consent'] {
  const [row, label, box, text, terms] = [
    createHtml('div', 'consent'),
    createHtml('label'),
    createHtml('input'),
    createHtml('span'),
    createLink(),
  ]
  box.type = 'checkbox'
  label.append(box, text)
  row.append(label, terms)
  return { row, box, text, terms }
}

export function createStep(step: FormStep, ...children: HTMLElement[]): HTMLFormElement {
  const form = createHtml('form', step)
  form.noValidate = true
  form.append(...children)
  return form
}

export function createButton(className: string, type: 'submit' | 'button' = 'button'): HTMLButtonElement {
  const button = createHtml('button', className)
  button.type = type
  return button
}

function createLink(): HTMLAnchorElement {
  return Object.assign(createHtml('a'), { target: '_blank', rel: 'noreferrer' })
}

export function createGroup(className: string, ...children: HTMLElement[]): HTMLElement {
  const element = createHtml('div', className)
  element.append(...children)
  return element
}

export function createHtml<T extends keyof HTMLElementTagNameMap>(tag: T, className = ''): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag)
  element.className = className
  return element
}
