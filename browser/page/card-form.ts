import {
  readHello,
  type FormCard,
  type FormStep,
  type FormWarning,
  type FrameDeed,
  type FrameOptions,
  type FromFrame,
} from '@tessera/contract/frame'

import { makeId, openBridge, type Bridge } from '../bridge/bridge.ts'
import { isCut } from './cut.ts'
import { findHome } from './home.ts'
import { docsOf, expectOptions, expectPlace, type CardFormError } from './misuse.ts'

export { CardFormMisuse, type CardFormError } from './misuse.ts'

export interface CardFormOptions extends FrameOptions {
  /** Your public id. */
  readonly merchant: string
  /** Where the form is served; by itself the origin that this script came from. */
  readonly formOrigin?: string
}

/** Of the theme alone, for who made it; the form goes on. */
export interface CardFormWarning extends FormWarning {
  readonly docs: string
}

/** What a listener is called with, by event. */
export interface CardFormEvents {
  ready: undefined
  change: Extract<FromFrame, { type: 'change' }>
  step: FormStep
  token: { readonly token: string; readonly card: FormCard }
  error: CardFormError
  warning: CardFormWarning
  wait: number
  seen: 'visible' | 'hidden' | 'unverified'
}

type Listener = (value: never) => void

/** The card form in a page: an iframe of the service's own origin. This side never sees a digit. */
export class CardForm {
  #options: CardFormOptions
  readonly #origin: string
  readonly #listeners = new Map<string, Set<Listener>>()
  #frame: HTMLIFrameElement | null = null
  #bridge: Bridge | null = null
  #late: ReturnType<typeof setTimeout> | undefined
  #mounted: AbortController | undefined

  /** Throws a `CardFormMisuse` when `merchant` is no merchant id, or nothing says where the form is served. */
  constructor(options: CardFormOptions) {
    this.#options = options
    this.#origin = expectOptions(options, home)
  }

  /** Listens; what is returned stops listening. */
  on<E extends keyof CardFormEvents>(event: E, listener: (value: CardFormEvents[E]) => void): () => void {
    const set = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, set.add(listener))
    return () => void set.delete(listener)
  }

  /** Puts the form into an element, or the first that a selector finds. */
  mount(target: string | Element): this {
    const place = expectPlace(target, this.#origin)
    this.unmount()
    const id = makeId()
    const frame = document.createElement('iframe')
    const { merchant, locale = 'uz' } = this.#options
    const query = new URLSearchParams({ merchant, origin: location.origin, locale })
    frame.title = titles[locale]
    frame.allow = ''
    frame.referrerPolicy = 'no-referrer'
    frame.style.cssText = 'width:100%;border:0;display:block;height:330px'
    // Each document of the frame is greeted once: at its word that it is there, or where that did not come, when it has loaded.
    // The other of the two is then let by; the same once more is of another document, whose predecessor lacked the other.
    let greeted: 'word' | 'load' | null = null
    const greet = (at: 'word' | 'load'): void => {
      greeted = greeted === null || greeted === at ? at : null
      if (greeted === null) return
      this.#bridge?.close()
      clearTimeout(this.#late)
      this.#bridge = openBridge(frame, this.#origin, id, (message) => this.#hear(message, frame))
      this.#late = setTimeout(() => this.#fail('frame_no_answer', 'The form did not answer: see what the frame says.'), answerMsMax)
      this.#configure()
    }
    const { signal } = (this.#mounted = new AbortController())
    const onWord = ({ source, origin, data }: MessageEvent): void => {
      if (source === frame.contentWindow && origin === this.#origin && readHello(data)?.id === id) greet('word')
    }
    addEventListener('message', onWord, { signal })
    frame.addEventListener('load', () => greet('load'))
    document.addEventListener('securitypolicyviolation', this.#onViolation, { signal })
    frame.src = `${this.#origin}/form/v1?${String(query)}#${id}`
    this.#frame = frame
    place.append(frame)
    return this
  }

  /** Takes the form out of the page. It may be mounted again. */
  unmount(): void {
    clearTimeout(this.#late)
    this.#mounted?.abort()
    this.#bridge?.close()
    this.#frame?.remove()
    this.#bridge = this.#frame = null
  }

  /** Changes options of a form that is there. */
  update(options: FrameOptions): void {
    this.#options = { ...this.#options, ...options }
    this.#configure()
  }

  submit(): void {
    this.#do('submit')
  }
  verify(): void {
    this.#do('verify')
  }
  resend(): void {
    this.#do('resend')
  }
  /** Another card. */
  back(): void {
    this.#do('back')
  }
  clear(): void {
    this.#do('clear')
  }
  focus(): void {
    this.#frame?.focus()
    this.#do('focus')
  }

  #do(type: FrameDeed): void {
    this.#bridge?.say({ type })
  }

  #configure(): void {
    const { merchant: _merchant, formOrigin: _formOrigin, ...options } = this.#options
    if (this.#frame && options.locale) this.#frame.title = titles[options.locale]
    this.#bridge?.say({ type: 'configure', options })
  }

  #hear(message: FromFrame, frame: HTMLElement): void {
    if (message.type === 'size') frame.style.height = `${message.height}px`
    else {
      if (message.type === 'ready') clearTimeout(this.#late)
      this.#pass(message.type, message, frame)
    }
  }

  #pass<E extends keyof CardFormEvents>(event: E, message: Messages[E], frame: HTMLElement): void {
    this.#emit(event, valueOf[event](message, this.#origin, frame))
  }

  readonly #onViolation = (event: SecurityPolicyViolationEvent): void => {
    if (!event.blockedURI.startsWith(this.#origin) || !/^(frame|child|default)-src/.test(event.effectiveDirective)) return
    clearTimeout(this.#late)
    this.#fail('blocked_by_csp', `Your Content-Security-Policy blocks the form: add this directive: frame-src ${this.#origin}`)
  }

  #fail(reason: string, message: string): void {
    this.#emit('error', explain({ code: 0, reason, field: null, retryable: false, message }, this.#origin))
  }

  #emit<E extends keyof CardFormEvents>(event: E, value: CardFormEvents[E]): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(value as never)
  }
}

type Messages = { readonly [E in keyof CardFormEvents]: Extract<FromFrame, { readonly type: E }> }

/** What the listeners of each event are called with when the frame has said it. */
const valueOf: {
  readonly [E in keyof CardFormEvents]: (said: Messages[E], origin: string, frame: Element) => CardFormEvents[E]
} = {
  ready: () => undefined,
  change: (said) => said,
  step: ({ step }) => step,
  token: ({ token, card }) => ({ token, card }),
  error: ({ error }, origin) => explain(error, origin),
  warning: ({ warning }, origin) => explain(warning, origin),
  wait: ({ ms }) => ms,
  seen: ({ state }, _origin, frame) => (state === 'unverified' && isCut(frame) ? 'hidden' : state),
}
export const eventNames = Object.keys(valueOf) as (keyof CardFormEvents)[]

function explain<Told extends { readonly reason: string }>(told: Told, origin: string): Told & { readonly docs: string } {
  return { ...told, docs: docsOf(told.reason, origin) }
}

/** Where this script came from, as it was known while it was loaded. */
const home = findHome()

const titles = { uz: 'Karta maʼlumotlari', ru: 'Данные карты', en: 'Card details' } as const
const answerMsMax = 10_000
