import type { FrameOptions } from '@tessera/contract/frame'

import { CardForm, CardFormMisuse, eventNames } from './card-form.ts'

/** There is no HTMLElement where a page is rendered on a server. */
const Element = (globalThis as { HTMLElement?: typeof HTMLElement }).HTMLElement ?? (Object as unknown as typeof HTMLElement)

/**
 * `<tessera-card merchant="…">`: the form as an element, there as soon as it has a merchant. Its events are `tessera-ready`, `tessera-token` and so on,
 * with the value in `detail`; the form itself is the property `form`.
 */
export class TesseraCard extends Element {
  static readonly observedAttributes = ['merchant', 'form-origin', 'locale', 'layout', 'save', 'session', 'button', 'direction']
  form: CardForm | null = null
  #objects: Pick<FrameOptions, 'theme' | 'labels'> = {}
  /** A tag of the markup is told its attributes, one by one, before it is told that it stands somewhere. */
  #isPlaced = false

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
      // Set before the element was defined, it lies over the accessor.
      const early = Object.getOwnPropertyDescriptor(this, name)
      if (early !== undefined && Reflect.deleteProperty(this, name)) this.#set({ [name]: early.value as Readonly<Record<string, string>> })
    }
    this.#isPlaced = true
    this.#open()
  }

  disconnectedCallback(): void {
    this.#isPlaced = false
    this.form?.unmount()
    this.form = null
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now || !this.#isPlaced) return
    if (name !== 'merchant' && name !== 'form-origin') return this.form?.update(this.#read())
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
      const form = new CardForm({ ...this.#read(), merchant, ...(formOrigin === null ? {} : { formOrigin }) })
      for (const name of eventNames) form.on(name, (detail) => this.#tell(name, detail))
      this.form = form.mount(this)
    } catch (err) {
      if (!(err instanceof CardFormMisuse)) throw err
      // A tag in the markup opens while this script runs: before any listener of the page's own.
      // eslint-disable-next-line no-console
      console.error(err.message, err.docs)
      this.#tell('error', err)
    }
  }

  #tell(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(`tessera-${name}`, { detail, bubbles: true, composed: true }))
  }

  /** An attribute that is gone is told as nothing: the form's own choice holds again. */
  #read(): FrameOptions {
    const given = TesseraCard.observedAttributes.slice(2).map((name) => [name, this.getAttribute(name) ?? undefined] as const)
    const { button, ...rest } = Object.fromEntries(given)
    return { ...rest, ...this.#objects, button: button !== 'false' }
  }
}

/** Once, where there are elements. */
export function defineElement(): void {
  if (typeof customElements !== 'undefined' && customElements.get('tessera-card') === undefined)
    customElements.define('tessera-card', TesseraCard)
}
