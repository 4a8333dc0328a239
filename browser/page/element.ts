import { FramedCardForm, type CardForm } from './card-form.ts'
import { eventNames } from './card-form-events.ts'
import { CardFormMisuse } from './card-form-options.ts'
import type { CardFormEvents, CardFormUpdate } from './card-form-types.ts'

/** When a page is rendered on a server, there is no HTMLElement. */
const Element = (globalThis as { HTMLElement?: typeof HTMLElement }).HTMLElement ?? (Object as unknown as typeof HTMLElement)

/** The options that are objects, and therefore properties of the element. The others are attributes. */
const propertyNames = ['appearance', 'theme', 'labels'] as const
type ObjectOptions = Pick<CardFormUpdate, (typeof propertyNames)[number]>

/**
 * `<tessera-card merchant="…">`: the form as a custom element, mounted as soon as it has a merchant. Its events are `tessera-ready`,
 * `tessera-token` and so on, with the value in `detail`. The property `form` is the form itself.
 */
export class TesseraCard extends Element {
  // First those that the constructor of the form needs, last those that are on unless they are `false`.
  static readonly observedAttributes = [
    'merchant',
    'form-origin',
    'locale',
    'layout',
    'save',
    'session',
    'direction',
    'button',
    'auto-confirm',
  ]
  /** Null while the element has no valid merchant or is not in the page. */
  form: CardForm | null = null
  declare appearance: ObjectOptions['appearance']
  declare theme: ObjectOptions['theme']
  declare labels: ObjectOptions['labels']
  #objects: ObjectOptions = {}
  /** For an element in the markup, attributeChangedCallback is called for each attribute before connectedCallback. */
  #isConnected = false

  static {
    for (const name of propertyNames) {
      const accessor = {
        // A page's own members of Object.prototype are no part of the descriptor.
        __proto__: null,
        get(this: TesseraCard) {
          return this.#objects[name]
        },
        set(this: TesseraCard, value: ObjectOptions[typeof name]) {
          this.#setObjects({ [name]: value ?? undefined })
        },
      }
      Object.defineProperty(this.prototype, name, accessor as PropertyDescriptor)
    }
  }

  connectedCallback(): void {
    for (const name of propertyNames) {
      // A property that was set before the element was defined hides the accessor.
      if (Object.hasOwn(this, name)) {
        const early = this[name]
        Reflect.deleteProperty(this, name)
        this.#setObjects({ [name]: early })
      }
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
    if (name === 'merchant' || name === 'form-origin') {
      this.disconnectedCallback()
      this.connectedCallback()
    } else this.#assign(this.#readAttributes())
  }

  #setObjects(objects: ObjectOptions): void {
    this.#objects = { ...this.#objects, ...objects }
    this.#assign(objects)
  }

  #assign(options: CardFormUpdate): void {
    const form = this.form as FramedCardForm | null
    form?.assign(options)
  }

  #open(): void {
    const merchant = this.getAttribute('merchant')
    if (merchant === null) return
    try {
      const formOrigin = this.getAttribute('form-origin') ?? undefined
      const form = new FramedCardForm({ ...this.#objects, ...this.#readAttributes(), merchant, formOrigin })
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

  #dispatch(name: keyof CardFormEvents, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(`tessera-${name}`, { detail, bubbles: true, composed: true }))
  }

  /** An attribute that was removed is undefined, so that the option has its default again. */
  #readAttributes(): CardFormUpdate {
    const isOn = (name: string): boolean => this.getAttribute(name) !== 'false'
    const texts: Record<string, string | undefined> = {}
    for (const name of TesseraCard.observedAttributes.slice(2, -2)) texts[name] = this.getAttribute(name) ?? undefined
    return { ...texts, button: isOn('button'), autoConfirm: isOn('auto-confirm') }
  }
}

/** Defines `<tessera-card>` once, in environments with custom elements. */
export function defineElement(): void {
  const registry = globalThis.customElements as CustomElementRegistry | undefined
  if (!registry?.get(tagName)) registry?.define(tagName, TesseraCard)
}

const tagName = 'tessera-card'

/** The events of the element, by name. They bubble, also out of a shadow root. */
export type TesseraCardEvents = { readonly [E in keyof CardFormEvents as `tessera-${E}`]: CustomEvent<CardFormEvents[E]> }

declare global {
  interface HTMLElementTagNameMap {
    'tessera-card': TesseraCard
  }
  /** Listeners on the element, and on every element, document and window around it. */
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type
  interface GlobalEventHandlersEventMap extends TesseraCardEvents {}
}
