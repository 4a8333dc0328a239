import type { FrameOptions } from '@tessera/contract/frame'

import { CardForm, CardFormMisuse, eventNames } from './card-form.ts'

/** When a page is rendered on a server, there is no HTMLElement. */
const Element = (globalThis as { HTMLElement?: typeof HTMLElement }).HTMLElement ?? (Object as unknown as typeof HTMLElement)

/**
 * `<tessera-card merchant="…">`: the form as a custom element, mounted as soon as it has a merchant. Its events are `tessera-ready`,
 * `tessera-token` and so on, with the value in `detail`. The property `form` is the form itself.
 */
export class TesseraCard extends Element {
  static readonly observedAttributes = ['merchant', 'form-origin', 'locale', 'layout', 'save', 'session', 'button', 'direction']
  form: CardForm | null = null
  #objects: Pick<FrameOptions, 'theme' | 'labels'> = {}
  /** For an element in the markup, attributeChangedCallback is called for each attribute before connectedCallback. */
  #isConnected = false

  get theme(): FrameOptions['theme'] {
    return this.#objects.theme
  }
  set theme(theme: FrameOptions['theme']) {
    this.#set({ theme: theme ?? {} })
  }
  get labels(): FrameOptions['labels'] {
    return this.#objects.labels
  }
  set labels(labels: FrameOptions['labels']) {
    this.#set({ labels: labels ?? {} })
  }

  connectedCallback(): void {
    for (const name of ['theme', 'labels'] as const) {
      // A property that was set before the element was defined hides the accessor.
      const early = Object.getOwnPropertyDescriptor(this, name)
      if (early !== undefined && Reflect.deleteProperty(this, name)) this.#set({ [name]: early.value as Readonly<Record<string, string>> })
    }
    this.#isConnected = true
    this.#open()
  }

  disconnectedCallback(): void {
    this.#isConnected = false
    this.form?.unmount()
    this.form = null
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now || !this.#isConnected) return
    if (name !== 'merchant' && name !== 'form-origin') return this.form?.update(this.#readOptions())
    this.disconnectedCallback()
    this.connectedCallback()
  }

  #set(objects: Pick<FrameOptions, 'theme' | 'labels'>): void {
    this.#objects = { ...this.#objects, ...objects }
    this.form?.update(objects)
  }

  #open(): void {
    const [merchant, formOrigin] = [this.getAttribute('merchant'), this.getAttribute('form-origin')]
    if (merchant === null) return
    try {
      const form = new CardForm({ ...this.#readOptions(), merchant, ...(formOrigin === null ? {} : { formOrigin }) })
      for (const name of eventNames) form.on(name, (detail) => this.#dispatch(name, detail))
      this.form = form.mount(this)
    } catch (err) {
      if (!(err instanceof CardFormMisuse)) throw err
      // An element in the markup opens while this script is loaded, before the page can add a listener.
      // eslint-disable-next-line no-console
      console.error(err.message, err.docs)
      this.#dispatch('error', err)
    }
  }

  #dispatch(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(`tessera-${name}`, { detail, bubbles: true, composed: true }))
  }

  /** An attribute that was removed is undefined, so that the option has its default again. */
  #readOptions(): FrameOptions {
    const attributes = TesseraCard.observedAttributes.slice(2).map((name) => [name, this.getAttribute(name) ?? undefined] as const)
    const { button, ...options } = Object.fromEntries(attributes)
    return { ...options, ...this.#objects, button: button !== 'false' }
  }
}

/** Defines `<tessera-card>` once, in environments with custom elements. */
export function defineElement(): void {
  if (typeof customElements !== 'undefined' && customElements.get('tessera-card') === undefined)
    customElements.define('tessera-card', TesseraCard)
}
