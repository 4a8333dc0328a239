import { errors } from '@tessera/contract/errors'
import type { FormCard, FormField } from '@tessera/contract/frame'

import { tellReason } from '../frame/reasons.ts'
import { textsIn, type Texts } from '../frame/texts.ts'
import type { CardForm, CardFormError, CardFormEvents, CardFormOptions } from '../page/card-form.ts'
import { CardFormMisuse, docsOf, expectOptions, expectPlace } from '../page/misuse.ts'

/** The real form's own type without its private parts: what is added there has to be added here, or this file no longer compiles. */
export type LikeCardForm = {
  readonly [K in keyof CardForm]: K extends 'mount' ? (...args: Parameters<CardForm['mount']>) => LikeCardForm : CardForm[K]
}

/** What happens, in order: `ok`, or the reason of a refusal (docs/reference/errors.md). Beyond the last one everything is `ok`. */
export interface FakeScript {
  /** As the form is put into the page: `blocked_by_csp`, `frame_no_answer`. */
  readonly mount: string[]
  /** As the card is sent and a code asked for. */
  readonly submit: string[]
  readonly verify: string[]
  readonly resend: string[]
}

/** In place of `window.Tessera`. Nothing is loaded, and no digit is needed: the cardholder is played by the test. */
export interface FakeTessera {
  readonly CardForm: new (...args: ConstructorParameters<typeof CardForm>) => LikeCardForm
  /** What the fake throws where the real form does: it is the same class. */
  readonly CardFormMisuse: typeof CardFormMisuse
  /** May be added to at any time. */
  readonly script: FakeScript
  /** Every form that was made, oldest first, with its options as they stand. */
  readonly forms: readonly { readonly options: CardFormOptions; readonly isMounted: boolean }[]
  /** What the person at the form does; with the form that was mounted last. Throws when none is. */
  readonly cardholder: FakeCardholder
  /** Until everything that was to be told has been told. */
  settled(): Promise<void>
}

export interface FakeCardholder {
  /** Types a number and an expiry. */
  typesCard(): void
  /** Agrees that the card is kept, or takes it back. */
  agrees(isAgreed?: boolean): void
  typesCode(): void
  /** Presses the form's own button: sends the card or the code. */
  presses(): void
  asksForAnotherCode(): void
  takesAnotherCard(): void
}

/** Makes a fake of the SDK for tests without a browser; in jsdom an empty iframe stands where the form would. */
export function fakeTessera(script: Partial<FakeScript> = {}, card: Partial<FormCard> = {}): FakeTessera {
  const forms: FakeCardForm[] = []
  const stage: Stage = { script: { mount: [], submit: [], verify: [], resend: [], ...script }, card, forms, tokens: 0 }
  const shown = (): FakeCardForm => {
    const form = forms.findLast(({ isMounted }) => isMounted)
    if (form === undefined) throw new Error('fakeTessera: no form is mounted')
    return form
  }
  class StagedCardForm extends FakeCardForm {
    constructor(options: CardFormOptions) {
      super(options, stage)
    }
  }
  return {
    CardForm: StagedCardForm,
    CardFormMisuse,
    script: stage.script,
    forms,
    cardholder: {
      typesCard: () => shown().type('card'),
      agrees: (isAgreed = true) => shown().agree(isAgreed),
      typesCode: () => shown().type('code'),
      presses: () => shown().press(),
      asksForAnotherCode: () => shown().resend(),
      takesAnotherCard: () => shown().back(),
    },
    async settled() {
      // Whoever is told may do something that tells again: as many turns as anybody needs.
      for (let turn = 0; turn < turnsMax; turn++) await Promise.resolve()
    },
  }
}

interface Stage {
  readonly script: FakeScript
  readonly card: Partial<FormCard>
  readonly forms: FakeCardForm[]
  tokens: number
}

type Told = { readonly [E in keyof CardFormEvents]: readonly [E, CardFormEvents[E]] }[keyof CardFormEvents]

class FakeCardForm implements LikeCardForm {
  options: CardFormOptions
  isMounted = false
  readonly #origin: string
  readonly #stage: Stage
  readonly #listeners = new Map<string, Set<(value: never) => void>>()
  #step: 'card' | 'code' | 'done' = 'card'
  #mounted = 0
  #isTyped = false
  #isAgreed = false
  #changeTold = ''
  #element: { remove(): void } | null = null

  constructor(options: CardFormOptions, stage: Stage) {
    // Of a fake nobody can tell where its script came from: without formOrigin it counts as come from the form's own origin.
    this.#origin = expectOptions(options, ownOrigin)
    this.options = options
    this.#stage = stage
    stage.forms.push(this)
  }

  on<E extends keyof CardFormEvents>(event: E, listener: (value: CardFormEvents[E]) => void): () => void {
    const set = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, set.add(listener))
    return () => void set.delete(listener)
  }

  mount(target: string | Element): this {
    this.unmount()
    this.#element = place(target, this.#origin)
    this.isMounted = true
    this.#mounted++
    const reason = this.#next('mount')
    if (reason === null) this.#tell(['ready', undefined])
    else this.#refuse(reason)
    return this
  }

  unmount(): void {
    this.#element?.remove()
    this.#element = null
    this.isMounted = false
    this.#changeTold = ''
    this.#empty()
  }

  update(options: Parameters<CardForm['update']>[0]): void {
    if ((options.locale ?? this.options.locale) !== this.options.locale) this.#isAgreed = false
    this.options = { ...this.options, ...options }
  }

  submit(): void {
    if (!this.isMounted || this.#step !== 'card') return
    const reason = this.#isTyped ? this.#next('submit') : 'number_missing'
    if (reason !== null) {
      this.#refuse(reason)
      return
    }
    this.#isTyped = false
    this.#step = 'code'
    this.#tell(['wait', waitMs], ['step', 'code'], ...this.#changed())
  }

  verify(): void {
    if (!this.isMounted || this.#step !== 'code') return
    const reason = this.#isTyped ? this.#next('verify') : 'code_missing'
    if (reason !== null) {
      this.#refuse(reason)
      return
    }
    this.#step = 'done'
    this.#isTyped = false
    const token = `${(++this.#stage.tokens).toString(16).padStart(24, '0')}_${'A'.repeat(43)}`
    const card = { number: '8600***6311', expire: '0399', recurrent: this.#isAgreed, verify: true, type: '22618', ...this.#stage.card }
    this.#tell(['step', 'done'], ...this.#changed(), ['token', { token, card }])
  }

  resend(): void {
    if (!this.isMounted || this.#step !== 'code') return
    const reason = this.#next('resend')
    if (reason !== null) {
      this.#refuse(reason)
      return
    }
    this.#isTyped = false
    this.#tell(['wait', waitMs], ...this.#changed())
  }

  back(): void {
    this.clear()
  }

  clear(): void {
    this.#empty()
    if (this.isMounted) this.#tell(['step', 'card'], ...this.#changed())
  }

  focus(): void {
    // There is nothing to stand in.
  }

  type(step: 'card' | 'code'): void {
    if (step !== this.#step) throw new Error(`fakeTessera: the form is at the step "${this.#step}", not "${step}"`)
    this.#isTyped = true
    this.#tell(...this.#changed())
  }

  agree(isAgreed: boolean): void {
    if (this.options.save !== 'ask') throw new Error("fakeTessera: the form shows no box for keeping the card: make it with save: 'ask'")
    this.#isAgreed = isAgreed
  }

  press(): void {
    if (this.options.button === false) throw new Error('fakeTessera: the form shows no button of its own: call submit() and verify()')
    if (this.#step === 'code') this.verify()
    else this.submit()
  }

  #empty(): void {
    this.#step = 'card'
    this.#isTyped = this.#isAgreed = false
  }

  #next(deed: keyof FakeScript): string | null {
    const word = this.#stage.script[deed].shift() ?? 'ok'
    return word === 'ok' ? null : word
  }

  #refuse(reason: string): void {
    const error = errorOf(reason, this.options, this.#origin)
    const { field } = error
    // The real form empties a code that was refused.
    if (field === 'code') this.#isTyped = false
    this.#tell(['error', error], ...this.#changed(field === null ? {} : { [field]: reason }))
  }

  /** As the real form: nothing while step, fields and faults are as they were told last. */
  #changed(errors: CardFormEvents['change']['errors'] = {}): Told[] {
    const change = { type: 'change', complete: this.#isTyped, empty: !this.#isTyped, errors } as const
    const text = JSON.stringify([this.#step, change])
    if (text === this.#changeTold) return []
    this.#changeTold = text
    return [['change', change]]
  }

  /** Never at once, and nothing any more once it was taken out: the real form tells through a port. */
  #tell(...told: Told[]): void {
    const mounted = this.#mounted
    queueMicrotask(() => {
      if (!this.isMounted || mounted !== this.#mounted) return
      for (const [event, value] of told) {
        for (const listener of this.#listeners.get(event) ?? []) listener(value as never)
      }
    })
  }
}

/** As the real one words it: the same table says field, text and whether to try again. */
function errorOf(reason: string, { locale = 'uz' }: CardFormOptions, origin: string): CardFormError {
  const { text, field, isRetryable }: { text: keyof Texts; field: FormField | null; isRetryable: boolean } = tellReason(reason)
  const isOfPage = reason === 'blocked_by_csp' || reason === 'frame_no_answer'
  const code = Object.values(errors).find((entry) => entry.reason === reason)?.code ?? 0
  const docs = docsOf(reason, origin)
  return { code, reason, field, retryable: isRetryable, message: isOfPage ? reason : textsIn(locale)[text], docs }
}

/** Without a document any target will do. */
function place(target: string | Element, origin: string): { remove(): void } | null {
  if (typeof document === 'undefined') return null
  const found = expectPlace(target, origin)
  const frame = document.createElement('iframe')
  found.append(frame)
  return frame
}

const ownOrigin = 'http://127.0.0.1'
const waitMs = 60_000
const turnsMax = 50
