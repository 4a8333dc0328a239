import { errors } from '@tessera/contract/errors'
import type { FormCard } from '@tessera/contract/frame'
import type { Language } from '@tessera/contract/profile'

import { describeReason } from '../frame/deferred/reasons.ts'
import { deferredTextsIn, documentTextsIn } from '../frame/texts.ts'
import type { CardForm } from '../page/card-form.ts'
import { CardFormMisuse, findMountElement, mergeOptions, readFormOrigin, readLocale, reasonDocs } from '../page/card-form-options.ts'
import type {
  CardFormError,
  CardFormEvents,
  CardFormOptions,
  CardFormReason,
  CardFormResult,
  CardFormUpdate,
} from '../page/card-form-types.ts'

/** The outcomes of each action, in order: `ok`, or the reason of an error (docs/reference/errors.md). After the last one every outcome is `ok`. */
export interface FakeScript {
  /** When the form is mounted: `blocked_by_csp`, `frame_no_answer`. */
  readonly mount: FakeOutcome[]
  /** When the card is sent and a code is requested. */
  readonly submit: FakeOutcome[]
  readonly verify: FakeOutcome[]
  readonly resend: FakeOutcome[]
}

export type FakeOutcome = 'ok' | CardFormReason

/** Replaces `window.Tessera`. Nothing is loaded and no card number is needed: the test plays the cardholder. */
export interface FakeTessera {
  readonly CardForm: new (options: CardFormOptions) => CardForm
  /** The same class that the real form throws. */
  readonly CardFormMisuse: typeof CardFormMisuse
  /** Outcomes may be added at any time. */
  readonly script: FakeScript
  /** Every form that was created, oldest first, with its current options. */
  readonly forms: readonly { readonly options: CardFormOptions; readonly isMounted: boolean }[]
  /** What the cardholder does, in the form that was mounted last. Throws when none is mounted. */
  readonly cardholder: FakeCardholder
  /** Resolves when every pending event has been delivered. */
  settled(): Promise<void>
}

export interface FakeCardholder {
  /** Enters a number and an expiry. */
  typesCard(): void
  /** Ticks or unticks the consent checkbox. */
  agrees(isAgreed?: boolean): void
  typesCode(): void
  /** Presses the form's own button, which sends the card or the code. */
  presses(): void
  asksForAnotherCode(): void
  takesAnotherCard(): void
  /** Chooses a saved card of the session, by the id that your server gave. It is picked when the form's button is pressed, or by `submit()`. */
  choosesSavedCard(id: string): void
  /** Chooses a saved card, and presses the form's own button. */
  picksSavedCard(id: string): void
  /** Asks to remove a saved card of the session. */
  removesSavedCard(id: string): void
}

/** Creates a fake of the SDK for tests without a browser. In jsdom, an empty iframe takes the place of the form. */
export function fakeTessera(script: Partial<FakeScript> = {}, card: Partial<FormCard> = {}): FakeTessera {
  const forms: FakeCardForm[] = []
  const state: FakeState = { script: { mount: [], submit: [], verify: [], resend: [], ...script }, card, forms, tokenCount: 0 }
  const mountedForm = (): FakeCardForm => {
    const form = forms.findLast(({ isMounted }) => isMounted)
    if (form === undefined) throw new Error('fakeTessera: no form is mounted')
    return form
  }
  class CardFormOfFake extends FakeCardForm {
    constructor(options: CardFormOptions) {
      super(options, state)
    }
  }
  return {
    CardForm: CardFormOfFake,
    CardFormMisuse,
    script: state.script,
    forms,
    cardholder: {
      typesCard: () => mountedForm().type('card'),
      agrees: (isAgreed = true) => mountedForm().agree(isAgreed),
      typesCode: () => mountedForm().type('code'),
      presses: () => mountedForm().press(),
      asksForAnotherCode: () => mountedForm().resend(),
      takesAnotherCard: () => mountedForm().back(),
      choosesSavedCard: (id) => mountedForm().choose(id),
      picksSavedCard: (id) => mountedForm().pick(id),
      removesSavedCard: (id) => mountedForm().remove(id),
    },
    async settled() {
      // A listener may do something that causes further events.
      for (let round = 0; round < maxRounds; round++) await Promise.resolve()
    },
  }
}

interface FakeState {
  readonly script: FakeScript
  readonly card: Partial<FormCard>
  readonly forms: FakeCardForm[]
  tokenCount: number
}

type FakeEvent = { readonly [E in keyof CardFormEvents]: readonly [E, CardFormEvents[E]] }[keyof CardFormEvents]

/** A method that is added to the real form and not to this one is a compile error. */
class FakeCardForm implements CardForm {
  options: CardFormOptions
  isMounted = false
  readonly #origin: string
  readonly #state: FakeState
  readonly #listeners = new Map<string, Set<(value: never) => void>>()
  #step: 'card' | 'code' | 'done' = 'card'
  #mountCount = 0
  #isTyped = false
  /** Id of the saved card that is chosen; null while a card is typed. */
  #chosen: string | null = null
  #isAgreed = false
  #lastChange = ''
  #element: { remove(): void } | null = null

  constructor(options: CardFormOptions, state: FakeState) {
    // A fake is not loaded from anywhere: without formOrigin it counts as loaded from the form's own origin.
    this.#origin = readFormOrigin(options, fakeOrigin)
    this.options = options
    this.#state = state
    state.forms.push(this)
  }

  on<E extends keyof CardFormEvents>(event: E, listener: (value: CardFormEvents[E]) => void): () => void {
    const set = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, set.add(listener))
    return () => void set.delete(listener)
  }

  mount(target: string | Element): this {
    this.unmount()
    this.#element = appendFrame(target, this.#origin)
    this.isMounted = true
    this.#mountCount++
    const reason = this.#nextReason('mount')
    if (reason === null) this.#emit(['ready', undefined])
    else void this.#fail(reason)
    return this
  }

  unmount(): void {
    this.#element?.remove()
    this.#element = null
    this.isMounted = false
    this.#lastChange = ''
    this.#reset()
  }

  update(options: CardFormUpdate): void {
    if ((options.locale ?? this.options.locale) !== this.options.locale) this.#isAgreed = false
    this.options = mergeOptions(this.options, options)
  }

  submit(): Promise<CardFormResult> {
    if (!this.isMounted || this.#step !== 'card') return this.#settle({ status: 'ignored' })
    const id = this.#chosen
    if (!this.#isTyped && id === null) return this.#fail('number_missing')
    const reason = this.#nextReason('submit')
    this.#emit(['busy', true])
    if (reason !== null) return this.#fail(reason, ['busy', false])
    this.#isTyped = false
    this.#chosen = null
    if (id !== null) {
      this.#step = 'done'
      this.#emit(['step', 'done'], ...this.#changeEvents(), ['pick', id], ['busy', false])
      return this.#settle({ status: 'picked', id })
    }
    this.#step = 'code'
    this.#emit(['wait', waitMs], ['step', 'code'], ...this.#changeEvents(), ['busy', false])
    return this.#settle({ status: 'code' })
  }

  verify(): Promise<CardFormResult> {
    if (!this.isMounted || this.#step !== 'code') return this.#settle({ status: 'ignored' })
    if (!this.#isTyped) return this.#fail('code_missing')
    const reason = this.#nextReason('verify')
    this.#emit(['busy', true])
    if (reason !== null) return this.#fail(reason, ['busy', false])
    this.#step = 'done'
    this.#isTyped = false
    const token = `${(++this.#state.tokenCount).toString(16).padStart(24, '0')}_${'A'.repeat(43)}`
    const card = { number: '8600***6311', expire: '0399', recurrent: this.#isAgreed, verify: true, type: '22618', ...this.#state.card }
    this.#emit(['step', 'done'], ...this.#changeEvents(), ['token', { token, card }], ['busy', false])
    return this.#settle({ status: 'done', token, card })
  }

  resend(): void {
    if (!this.isMounted || this.#step !== 'code') return
    const reason = this.#nextReason('resend')
    this.#emit(['busy', true])
    if (reason !== null) {
      void this.#fail(reason, ['busy', false])
      return
    }
    this.#isTyped = false
    this.#emit(['wait', waitMs], ...this.#changeEvents(), ['busy', false])
  }

  back(): void {
    this.clear()
  }

  clear(): void {
    this.#reset()
    if (this.isMounted) this.#emit(['step', 'card'], ...this.#changeEvents())
  }

  focus(): void {
    // There is no input to focus.
  }

  type(step: 'card' | 'code'): void {
    if (step !== this.#step) throw new Error(`fakeTessera: the form is at the step "${this.#step}", not "${step}"`)
    this.#isTyped = true
    this.#chosen = null
    this.#emit(...this.#changeEvents())
  }

  agree(isAgreed: boolean): void {
    if (this.options.save !== 'ask') throw new Error("fakeTessera: the form has no consent checkbox: create it with save: 'ask'")
    this.#isAgreed = isAgreed
  }

  choose(id: string): void {
    if (this.#step !== 'card') throw new Error('fakeTessera: saved cards are offered at the step "card" only')
    this.#chosen = id
    this.#emit(...this.#changeEvents())
  }

  pick(id: string): void {
    this.choose(id)
    void this.submit()
  }

  remove(id: string): void {
    this.#emit(['busy', true], ['remove', id], ['busy', false])
  }

  press(): void {
    if (this.options.button === false) throw new Error('fakeTessera: the form has no button of its own: call submit() and verify()')
    void (this.#step === 'code' ? this.verify() : this.submit())
  }

  #reset(): void {
    this.#step = 'card'
    this.#chosen = null
    this.#isTyped = this.#isAgreed = false
  }

  #nextReason(action: keyof FakeScript): CardFormReason | null {
    const outcome = this.#state.script[action].shift() ?? 'ok'
    return outcome === 'ok' ? null : outcome
  }

  #fail(reason: CardFormReason, ...last: FakeEvent[]): Promise<CardFormResult> {
    const error = errorOf(reason, this.options, this.#origin)
    const { field } = error
    // The real form clears a code that was wrong.
    if (field === 'code') this.#isTyped = false
    this.#emit(['error', error], ...this.#changeEvents(field === null ? {} : { [field]: reason }), ...last)
    return this.#settle({ status: 'error', error })
  }

  /** Resolves after the events of the action, or as cancelled when the form was removed meanwhile. */
  async #settle(result: CardFormResult): Promise<CardFormResult> {
    const mountCount = this.#mountCount
    await Promise.resolve()
    return result.status === 'ignored' || (this.isMounted && mountCount === this.#mountCount) ? result : { status: 'cancelled' }
  }

  /** Like the real form: no event while step, fields and errors are as in the last one. */
  #changeEvents(errors: CardFormEvents['change']['errors'] = {}): FakeEvent[] {
    const isTyped = this.#isTyped && this.#chosen === null
    const brand = isTyped && this.#step === 'card' ? 'uzcard' : null
    const complete = isTyped || this.#chosen !== null
    const change = { type: 'change', brand, complete, empty: !complete, error: Object.values(errors)[0] ?? null, errors } as const
    const current = JSON.stringify([this.#step, change])
    if (current === this.#lastChange) return []
    this.#lastChange = current
    return [['change', change]]
  }

  /** Delivers asynchronously, and nothing after unmount: the events of the real form arrive over a port. */
  #emit(...events: FakeEvent[]): void {
    const mountCount = this.#mountCount
    queueMicrotask(() => {
      if (!this.isMounted || mountCount !== this.#mountCount) return
      for (const [event, value] of events) {
        for (const listener of this.#listeners.get(event) ?? []) listener(value as never)
      }
    })
  }
}

/** The same error as the real form's, from the same table. */
function errorOf(reason: CardFormReason, { locale = 'uz' }: CardFormOptions, origin: string): CardFormError {
  const { text, field, isRetryable } = describeReason(reason)
  const isFromSdk = reason === 'blocked_by_csp' || reason === 'frame_no_answer'
  const code = Object.values(errors).find((entry) => entry.reason === reason)?.code ?? 0
  const docs = reasonDocs(reason, origin)
  const language = languageOf(locale)
  return {
    code,
    reason,
    field,
    retryable: isRetryable,
    message: isFromSdk ? reason : { ...documentTextsIn(language), ...deferredTextsIn(language) }[text].replace('{0}', figureOf(text)),
    docs,
  }
}

/** The digits of a code of the test environment, or the minutes of a stop. */
function figureOf(text: string): string {
  return text === 'verification_stopped' ? '15' : '6'
}

/** Without a document, `auto` is Uzbek. */
function languageOf(locale: NonNullable<CardFormOptions['locale']>): Language {
  const language = locale === 'auto' && typeof document === 'undefined' ? 'uz' : readLocale(locale)
  return (['uz', 'ru', 'en'] as const).find((known) => known === language) ?? 'uz'
}

/** Without a document every target is accepted. */
function appendFrame(target: string | Element, origin: string): { remove(): void } | null {
  if (typeof document === 'undefined') return null
  const element = findMountElement(target, origin)
  const frame = document.createElement('iframe')
  element.append(frame)
  return frame
}

const fakeOrigin = 'http://127.0.0.1'
const waitMs = 60_000
const maxRounds = 50
