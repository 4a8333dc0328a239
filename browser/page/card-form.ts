import {
  readHello,
  type FormCard,
  type FormStep,
  type FormWarning,
  type FrameAction,
  type FrameOptions,
  type FromFrame,
} from '@tessera/contract/frame'

import { createFrameId, openBridge, type Bridge } from '../bridge/bridge.ts'
import { findMountElement, findSdkOrigin, readFormOrigin, reasonDocs, type CardFormError } from './card-form-options.ts'

export { CardFormMisuse, type CardFormError } from './card-form-options.ts'

export interface CardFormOptions extends FrameOptions {
  /** Your public merchant id. */
  readonly merchant: string
  /** The origin that serves the form. Default: the origin that this script was loaded from. */
  readonly formOrigin?: string
}

/** A warning about the theme, for the developer of the page. The form works all the same. */
export interface CardFormWarning extends FormWarning {
  readonly docs: string
}

/** The value that listeners receive, by event. */
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

/** The card form in a page: an iframe of the service's own origin. This side never sees a digit of the card. */
export class CardForm {
  #options: CardFormOptions
  readonly #origin: string
  readonly #listeners = new Map<string, Set<Listener>>()
  #frame: HTMLIFrameElement | null = null
  #bridge: Bridge | null = null
  #readyTimer: ReturnType<typeof setTimeout> | undefined
  #mounted: AbortController | undefined

  /** Throws `CardFormMisuse` when `merchant` is not a merchant id, or when the origin of the form is unknown. */
  constructor(options: CardFormOptions) {
    this.#options = options
    this.#origin = readFormOrigin(options, sdkOrigin)
  }

  /** Adds a listener. The returned function removes it. */
  on<E extends keyof CardFormEvents>(event: E, listener: (value: CardFormEvents[E]) => void): () => void {
    const set = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, set.add(listener))
    return () => void set.delete(listener)
  }

  /** Puts the form into an element, or into the first element that matches a selector. */
  mount(target: string | Element): this {
    const element = findMountElement(target, this.#origin)
    this.unmount()
    const id = createFrameId()
    const frame = document.createElement('iframe')
    const { merchant, locale = 'uz', save } = this.#options
    const query = new URLSearchParams({ merchant, origin: location.origin, locale })
    frame.title = titles[locale]
    frame.allow = 'otp-credentials'
    frame.referrerPolicy = 'no-referrer'
    frame.style.cssText = `width:100%;border:0;display:block;height:${save === 'ask' ? 450 : 330}px;background:${skeleton}`
    frame.ariaBusy = 'true'
    // Each document of the frame gets one hello: when it announces itself or, if that message is lost, when it has loaded. The other of the
    // two signals is then ignored. The same signal twice in a row belongs to a new document, whose predecessor lacked the other signal.
    let lastSignal: 'announced' | 'loaded' | null = null
    const greet = (signal: 'announced' | 'loaded'): void => {
      lastSignal = lastSignal === null || lastSignal === signal ? signal : null
      if (lastSignal === null) return
      this.#bridge?.close()
      this.#bridge = openBridge(frame, this.#origin, id, (message) => this.#receive(message, frame))
      this.#startReadyTimer()
      this.#configure()
    }
    const { signal } = (this.#mounted = new AbortController())
    const onMessage = ({ source, origin, data }: MessageEvent): void => {
      if (source === frame.contentWindow && origin === this.#origin && readHello(data)?.id === id) greet('announced')
    }
    addEventListener('message', onMessage, { signal })
    frame.addEventListener('load', () => greet('loaded'))
    document.addEventListener('securitypolicyviolation', this.#onViolation, { signal })
    let movedAtMs = -movedIntervalMs
    const onMove = (): void => {
      if (performance.now() - movedAtMs < movedIntervalMs) return
      movedAtMs = performance.now()
      this.#request('moved')
    }
    for (const type of ['scroll', 'wheel', 'pointerdown', 'touchmove'])
      addEventListener(type, onMove, { signal, capture: true, passive: true })
    frame.src = `${this.#origin}/form/v1?${String(query)}#${id}`
    this.#frame = frame
    element.append(frame)
    if (self.origin === 'null')
      this.#fail('page_sandboxed', 'Your page has no origin: it is a file, or in a sandbox without allow-same-origin.')
    else this.#startReadyTimer()
    return this
  }

  /** Removes the form from the page. It can be mounted again. */
  unmount(): void {
    this.#stopReadyTimer()
    this.#mounted?.abort()
    this.#bridge?.close()
    this.#frame?.remove()
    this.#bridge = this.#frame = null
  }

  /** Changes options of a mounted form. */
  update(options: FrameOptions): void {
    this.#options = { ...this.#options, ...options }
    this.#configure()
  }

  /** Sends the card, as the form's own button does. */
  submit(): void {
    this.#request('submit')
  }
  /** Sends the code. */
  verify(): void {
    this.#request('verify')
  }
  /** Requests another code. */
  resend(): void {
    this.#request('resend')
  }
  /** Returns to an empty form for another card. */
  back(): void {
    this.#request('back')
  }
  clear(): void {
    this.#request('clear')
  }
  focus(): void {
    this.#frame?.focus()
    this.#request('focus')
  }

  #request(type: FrameAction): void {
    this.#bridge?.post({ type })
  }

  #configure(): void {
    const { merchant: _merchant, formOrigin: _formOrigin, ...options } = this.#options
    if (this.#frame && options.locale) this.#frame.title = titles[options.locale]
    this.#bridge?.post({ type: 'configure', options })
  }

  #receive(message: FromFrame, frame: HTMLElement): void {
    if (message.type === 'size') frame.style.height = `${message.height}px`
    else {
      if (message.type === 'ready') {
        this.#stopReadyTimer()
        frame.style.background = ''
        frame.ariaBusy = 'false'
      }
      this.#forward(message.type, message, frame)
    }
  }

  #forward<E extends keyof CardFormEvents>(event: E, message: Messages[E], frame: HTMLElement): void {
    this.#emit(event, valueOf[event](message, this.#origin, frame))
  }

  readonly #onViolation = (event: SecurityPolicyViolationEvent): void => {
    // A report-only policy blocks nothing.
    if (
      event.disposition === 'report' ||
      !event.blockedURI.startsWith(this.#origin) ||
      !/^(frame|child|default)-src/.test(event.effectiveDirective)
    )
      return
    this.#stopReadyTimer()
    this.#fail('blocked_by_csp', `Your Content-Security-Policy blocks the form: add this directive: frame-src ${this.#origin}`)
  }

  /** Once for each document: from mount() on, or from the first signal of a document that follows it. */
  #startReadyTimer(): void {
    this.#readyTimer ??= setTimeout(
      () => this.#fail('frame_no_answer', 'The form did not respond: read what the frame shows.'),
      readyTimeoutMs,
    )
  }

  #stopReadyTimer(): void {
    clearTimeout(this.#readyTimer)
    this.#readyTimer = undefined
  }

  #fail(reason: string, message: string): void {
    this.#emit('error', withDocs({ code: 0, reason, field: null, retryable: false, message }, this.#origin))
  }

  #emit<E extends keyof CardFormEvents>(event: E, value: CardFormEvents[E]): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(value as never)
  }
}

type Messages = { readonly [E in keyof CardFormEvents]: Extract<FromFrame, { readonly type: E }> }

/** The value that listeners receive, made from the frame's message. */
const valueOf: {
  readonly [E in keyof CardFormEvents]: (message: Messages[E], origin: string, frame: Element) => CardFormEvents[E]
} = {
  ready: () => undefined,
  change: (message) => message,
  step: ({ step }) => step,
  token: ({ token, card }) => ({ token, card }),
  error: ({ error }, origin) => withDocs(error, origin),
  warning: ({ warning }, origin) => withDocs(warning, origin),
  wait: ({ ms }) => ms,
  seen: ({ state }, _origin, frame) => (state === 'unverified' && isClipped(frame) ? 'hidden' : state),
}
export const eventNames = Object.keys(valueOf) as (keyof CardFormEvents)[]

function withDocs<Details extends { readonly reason: string }>(details: Details, origin: string): Details & { readonly docs: string } {
  return { ...details, docs: reasonDocs(details.reason, origin) }
}

/** Whether the page clips the bottom of the frame where nobody can scroll to it. The frame itself cannot know that. */
function isClipped(frame: Element): boolean {
  const { bottom } = frame.getBoundingClientRect()
  // The overflow of body and html applies to the window, which can be scrolled.
  for (let element: Element | null = frame; element !== null && element !== document.body; element = element.parentElement) {
    const { clipPath, overflowY } = getComputedStyle(element)
    if (clipPath !== 'none') return true
    if (/hidden|clip/.test(overflowY) && element.getBoundingClientRect().bottom < bottom - 1) return true
  }
  return false
}

/** Read while the script is loaded, because a classic script knows its address only then. */
const sdkOrigin = findSdkOrigin()

const titles = { uz: 'Karta maʼlumotlari', ru: 'Данные карты', en: 'Card details' } as const
const readyTimeoutMs = 10_000
/** Two fields and a button in gray, until the form has taken the frame. */
const skeleton = [25, 112, 174].map((top) => `linear-gradient(#8883,#8883) 0 ${top}px/100% 48px no-repeat`).join()
/** At most as often, the frame is told that it may be moving. */
const movedIntervalMs = 100
