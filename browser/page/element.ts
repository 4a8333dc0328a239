import type { FrameOptions } from '@tessera/contract/frame'

import { CardForm } from './card-form.ts'

/** There is no HTMLElement where a page is rendered on a server. */
const Element = (globalThis as { HTMLElement?: typeof HTMLElement }).HTMLElement ?? (Object as unknown as typeof HTMLElement)

/** `<tessera-card merchant="…">`: the form as an element. Its events are `tessera-ready`, `tessera-token` and so on, with the value in `detail`. */
export class TesseraCard extends Element {
  static readonly observedAttributes = ['locale', 'layout', 'save', 'session', 'button', 'direction']
  form: CardForm | null = null

  connectedCallback(): void {
    const [merchant, formOrigin] = [this.getAttribute('merchant') ?? '', this.getAttribute('form-origin')]
    this.form = new CardForm({ ...this.#read(), merchant, ...(formOrigin === null ? {} : { formOrigin }) })
    for (const name of eventNames) {
      this.form.on(name, (detail) => this.dispatchEvent(new CustomEvent(`tessera-${name}`, { detail, bubbles: true, composed: true })))
    }
    this.form.mount(this)
  }

  disconnectedCallback(): void {
    this.form?.unmount()
    this.form = null
  }

  attributeChangedCallback(): void {
    this.form?.update(this.#read())
  }

  #read(): FrameOptions {
    const given = TesseraCard.observedAttributes
      .map((name) => [name, this.getAttribute(name)] as const)
      .filter(([, value]) => value !== null)
    const { button, ...rest } = Object.fromEntries(given) as Record<string, string>
    return { ...rest, ...(button === undefined ? {} : { button: button !== 'false' }) }
  }
}

/** Once, where there are elements. */
export function defineElement(): void {
  if (typeof customElements !== 'undefined' && customElements.get('tessera-card') === undefined)
    customElements.define('tessera-card', TesseraCard)
}

const eventNames = ['ready', 'change', 'step', 'token', 'error', 'wait', 'seen'] as const
