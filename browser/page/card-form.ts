import { frameProtocol, isHelloOf, type FrameAction, type FrameOptions, type FromFrame } from '@tessera/contract/frame'
import type { Language } from '@tessera/contract/profile'

import { createFrameId, openBridge, type Bridge } from '../bridge/bridge.ts'
import { readPageColors } from './page-colors.ts'
import { readEventValue } from './card-form-events.ts'
import { describePageError, findMountElement, findSdkOrigin, mergeOptions, readFormOrigin, readLocale } from './card-form-options.ts'
import type { CardFormEvents, CardFormOptions, CardFormReason, CardFormResult, CardFormUpdate } from './card-form-types.ts'

/** The card form in a page: an iframe of the service's own origin. This side never sees a digit of the card. */
export interface CardForm {
  /** Adds a listener. The returned function removes it. */
  on<E extends keyof CardFormEvents>(event: E, listener: (value: CardFormEvents[E]) => void): () => void
  /** Puts the form into an element, or into the first element that matches a selector. Throws `CardFormMisuse` when there is none. */
  mount(target: string | Element): this
  /** Removes the form from the page. It can be mounted again. */
  unmount(): void
  /** Changes options; members of `appearance`, `theme` and `labels` one by one. An option that is `undefined` has its default again. */
  update(options: CardFormUpdate): void
  /**
   * Sends the card, as the form's own button does. Resolves when the form asks for the code of the SMS (`code`) or shows what is wrong (`error`);
   * with a saved card that is chosen, when the service has recorded it (`picked`). While a call is running, resolves with its outcome. Never rejects.
   */
  submit(): Promise<CardFormResult>
  /** Sends the code. Resolves when the card is confirmed (`done`) or the form shows what is wrong (`error`). Never rejects. */
  verify(): Promise<CardFormResult>
  /** Requests another code. */
  resend(): void
  /** Returns to an empty form for another card. */
  back(): void
  clear(): void
  focus(): void
}

type Listener = (value: never) => void

/** The class behind `CardForm`. A page sees the interface, so that the form, its fake in tests and the form of another version are one type. */
export class FramedCardForm implements CardForm {
  readonly #merchant: string
  readonly #origin: string
  #options: CardFormUpdate
  readonly #listeners = new Set<readonly [event: string, listener: Listener]>()
  #frame: HTMLIFrameElement | null = null
  #bridge: Bridge | null = null
  #readyTimer: ReturnType<typeof setTimeout> | undefined
  #mounted: AbortController | undefined
  /** Null until the form is ready. */
  #step: CardFormEvents['step'] | null = null
  #waiting: ((result: CardFormResult) => void)[] = []

  /** Throws `CardFormMisuse` when `merchant` is not a merchant id, or when the origin of the form is unknown. */
  constructor({ merchant, formOrigin, ...options }: CardFormOptions) {
    this.#origin = readFormOrigin({ merchant, formOrigin }, sdkOrigin)
    this.#merchant = merchant
    this.#options = mergeOptions({}, options)
  }

  on<E extends keyof CardFormEvents>(event: E, listener: (value: CardFormEvents[E]) => void): () => void {
    const entry = [event, listener] as const
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  mount(target: string | Element): this {
    const element = findMountElement(target, this.#origin)
    this.unmount()
    const id = createFrameId()
    const frame = document.createElement('iframe')
    // Lets the browser offer the code of the SMS to the frame (WebOTP).
    frame.allow = 'otp-credentials'
    frame.referrerPolicy = 'no-referrer'
    frame.style.cssText = `width:100%;border:0;display:block;color-scheme:light;transition:color 1ms;height:${this.#options.save === 'ask' ? 450 : 330}px;background:${skeleton}`
    frame.setAttribute('aria-busy', 'true')
    // Each document of the frame gets one hello: when it announces itself (1) or, if that message is lost, when it has loaded (2). The other of
    // the two signals is then ignored. The same signal twice in a row belongs to a new document, whose predecessor lacked the other signal.
    let lastSignal = 0
    const greet = (signal: 1 | 2): void => {
      lastSignal = lastSignal && lastSignal !== signal ? 0 : signal
      if (!lastSignal) return
      this.#bridge?.close()
      const hello = { tessera: frameProtocol, id, ...this.#describeOptions(frame) } as const
      this.#bridge = openBridge(frame, this.#origin, hello, (message) => this.#receive(message, frame))
      this.#startReadyTimer()
    }
    const { signal } = (this.#mounted = new AbortController())
    addEventListener(
      'message',
      ({ source, origin, data }) => {
        if (source === frame.contentWindow && origin === this.#origin && isHelloOf(id, data)) greet(1)
      },
      { signal },
    )
    frame.onload = () => greet(2)
    // The color is that of the text around the frame: when it changes, the page may have become dark.
    frame.ontransitionend = () => this.#configure()
    addEventListener('securitypolicyviolation', this.#onViolation, { signal })
    let movedAtMs = 0
    const onMove = ({ timeStamp }: Event): void => {
      if (timeStamp > movedAtMs + movedIntervalMs) {
        movedAtMs = timeStamp
        this.#request('moved')
      }
    }
    for (const type of ['scroll', 'wheel', 'pointerdown', 'touchmove'])
      addEventListener(type, onMove, { signal, capture: true, passive: true })
    frame.src = `${this.#origin}/form/v1?merchant=${this.#merchant}&origin=${location.origin}&locale=${readLocale(this.#options.locale)}#${id}`
    this.#frame = frame
    this.#describeOptions(frame)
    element.append(frame)
    if (self.origin === 'null') this.#fail('page_sandboxed', 'The page is a file, or in a sandbox.')
    else this.#startReadyTimer()
    return this
  }

  unmount(): void {
    this.#stopReadyTimer()
    this.#mounted?.abort()
    this.#bridge?.close()
    this.#frame?.remove()
    this.#bridge = this.#frame = this.#step = null
    this.#resolve({ status: 'cancelled' })
  }

  update(options: CardFormUpdate): void {
    this.assign(mergeOptions(this.#options, options))
  }

  /** Like update(), but replaces appearance, theme and labels as a whole, as a property of React or of the element does. */
  assign(options: CardFormUpdate): void {
    this.#options = { ...this.#options, ...mergeOptions({}, options) }
    this.#configure()
  }

  submit(): Promise<CardFormResult> {
    return this.#send('submit', 'card')
  }
  verify(): Promise<CardFormResult> {
    return this.#send('verify', 'code')
  }
  resend(): void {
    this.#request('resend')
  }
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

  #send(action: 'submit' | 'verify', step: CardFormEvents['step']): Promise<CardFormResult> {
    return new Promise((resolve) => {
      if (this.#step === step) {
        this.#waiting.push(resolve)
        this.#request(action)
      } else resolve({ status: 'ignored' })
    })
  }

  #request(type: FrameAction): void {
    this.#bridge?.postMessage({ type })
  }

  #configure(): void {
    if (this.#frame) this.#bridge?.postMessage(this.#describeOptions(this.#frame))
  }

  /** Names the frame in the language of the form, too. */
  #describeOptions(frame: HTMLIFrameElement) {
    const locale = readLocale(this.#options.locale)
    frame.title = titles[locale as Language] || titles.uz
    // The frame reports what is not a language of the form.
    return { type: 'configure', options: { ...this.#options, locale } as FrameOptions, page: readPageColors(frame) } as const
  }

  #receive(message: FromFrame, frame: HTMLElement): void {
    if (message.type === 'size') {
      frame.style.height = `${message.height}px`
      // The form is seen.
      frame.style.background = ''
      frame.setAttribute('aria-busy', 'false')
    } else if (message.type === 'ignored') this.#resolve({ status: message.type })
    else {
      if (message.type === 'ready') this.#stopReadyTimer()
      this.#emit(message.type, readEventValue(message, this.#origin, frame) as never)
    }
  }

  readonly #onViolation = (event: SecurityPolicyViolationEvent): void => {
    // A report-only policy blocks nothing.
    if (
      event.disposition === 'report' ||
      !event.blockedURI.startsWith(this.#origin) ||
      !/^(frame|child|default)/.test(event.effectiveDirective)
    )
      return
    this.#stopReadyTimer()
    this.#fail('blocked_by_csp', `Content-Security-Policy: add frame-src ${this.#origin}`)
  }

  /** Once for each document: from mount() on, or from the first signal of a document that follows it. */
  #startReadyTimer(): void {
    this.#readyTimer ??= setTimeout(() => this.#fail('frame_no_answer', 'The form did not respond.'), readyTimeoutMs)
  }

  #stopReadyTimer(): void {
    clearTimeout(this.#readyTimer)
    this.#readyTimer = undefined
  }

  #fail(reason: CardFormReason, message: string): void {
    this.#emit('error', { ...describePageError(reason, this.#origin), message })
  }

  #emit<E extends keyof CardFormEvents>(event: E, value: CardFormEvents[E]): void {
    this.#resolveOutcome(event, value)
    for (const [name, listener] of this.#listeners) if (name === event) listener(value as never)
  }

  /** Follows the step, and resolves what submit() and verify() returned. What awaits that runs after the listeners. */
  #resolveOutcome(event: keyof CardFormEvents, value: unknown): void {
    if (event === 'token') this.#resolve({ status: 'done', ...(value as CardFormEvents['token']) })
    if (event === 'pick') this.#resolve({ status: 'picked', id: value as string })
    // A refused option stops nothing.
    if (event === 'error' && (value as CardFormEvents['error']).reason !== 'option_refused')
      this.#resolve({ status: 'error', error: value as CardFormEvents['error'] })
    // A document that has just become ready shows an empty form.
    if (event === 'ready') value = 'card'
    else if (event !== 'step') return
    this.#step = value as CardFormEvents['step']
    if (value !== 'done') this.#resolve({ status: value === 'code' ? value : 'cancelled' })
  }

  #resolve(result: CardFormResult): void {
    for (const resolve of this.#waiting.splice(0)) resolve(result)
  }
}

export const CardForm: new (options: CardFormOptions) => CardForm = FramedCardForm

/** Read while the script is loaded, because a classic script knows its address only then. */
const sdkOrigin = findSdkOrigin()

const titles: Readonly<Record<Language, string>> = { uz: 'Karta maʼlumotlari', ru: 'Данные карты', en: 'Card details' }
const readyTimeoutMs = 10_000
/** Two fields and a button in gray, until the form has taken the frame. */
const skeleton = 'repeating-linear-gradient(#0000 0 25px,#8883 0 73px,#0000 0 87px)'
/** At most as often, the frame is told that it may be moving. */
const movedIntervalMs = 100
