import type { CardBrand, FormField, FormStep, FrameOptions, FromFrame } from '@tessera/contract/frame'

import { ApiCallError, type ApiCall } from './api-call.ts'
import type { FormSettings, LocalizedTexts } from './form-settings.ts'
import { describeOwnReason, type ReasonDisplay } from './own-reasons.ts'
import type { SavedCardList } from './saved-cards.ts'
import type { FormTexts } from './texts.ts'
import type { FieldView, FormView } from './view.ts'
import { showFormError } from './form-error.ts'

export type FieldName = Exclude<FormField, 'consent'>

/** A field of a step. `validate` returns the reason why its text cannot be sent; null when it can. */
export interface StepField extends FieldView {
  readonly step: FormStep
  readonly validate: (text: string) => string | null
}

export interface StepView {
  readonly form: HTMLElement
  /** Null: there is nothing to send in this step. */
  readonly button: HTMLButtonElement | null
}

export interface FormState {
  step: FormStep
  options: FrameOptions
  localized: LocalizedTexts
  /** With the labels of the merchant. Those of the deferred script are missing until it is there. */
  texts: FormTexts
  running: AbortController | null
  /** Of the number in the field. Null for fewer than four digits, so that the page does not get to know when a single one was typed. */
  brand: CardBrand | null
  /** Shown in place of the fields of the first step; null while a card is typed. */
  list: SavedCardList | null
  describeReason: (reason: string) => ReasonDisplay
}

/** What the two scripts of the form share. The deferred script adds its fields, steps and reasons. */
export interface FormCore {
  readonly settings: FormSettings
  readonly view: FormView
  readonly state: FormState
  readonly fields: Map<FieldName, StepField>
  readonly steps: Map<FormStep, StepView>
  /** Calls the service. */
  readonly call: ApiCall
  /** Returns false while there is no page to send it to. */
  readonly post: (message: FromFrame) => boolean
  /** Runs one action at a time: a second press during a call does nothing. */
  readonly run: (action: (signal: AbortSignal) => Promise<void>) => Promise<void>
  /** No action is running any more: it is complete, or was abandoned. */
  readonly finish: () => void
  readonly showStep: (step: FormStep) => void
  /** Puts consent and legal texts where they belong in this step. */
  readonly placeFooter: (step: FormStep) => void
  readonly shownFields: () => readonly FieldName[]
  readonly showFieldError: (name: FieldName, reason: string | null) => void
  /** Writes the errors of the fields again, in the language in use. */
  readonly showFieldErrors: () => void
  readonly showCallError: (error: ApiCallError) => void
  /** Focuses the first field of the step, or the saved card that is chosen. */
  readonly focusFirst: () => void
  /** Shows the errors of the step's fields and focuses the first one. Returns true when there are none. */
  readonly checkFields: () => boolean
  /** The text of a reason, with its figures. `waitMs`: until the cardholder may go on. */
  readonly textOf: (reason: string, waitMs?: number) => string
  readonly postChange: () => void
  readonly postError: (error: ReportedError) => void
  /** Reports the error that a field shows. */
  readonly postFieldError: (name: FieldName) => void
  /** Empties every field, so that the browser restores nothing either. */
  readonly wipe: () => void
  /** Adds a field: its error is shown when it is left, and removed when its text changes. */
  readonly addField: (name: FieldName, field: StepField) => void
  /** Adds a step: `action` runs when its button is pressed, and by Enter in a field. */
  readonly addStep: (step: FormStep, view: StepView, action?: () => void) => void
}

export interface ReportedError {
  readonly code?: number
  readonly reason: string
  readonly message?: string
  /** For `option_refused`: the option. */
  readonly option?: string
}

export interface FormCoreDependencies {
  readonly settings: FormSettings
  readonly view: FormView
  readonly call: ApiCall
  readonly post: FormCore['post']
  /** Called when an action starts. */
  readonly onRun: () => void
  /** Shows the error of an action. */
  readonly onError: (error: ApiCallError) => void
  /** Called when the fields were emptied. */
  readonly onWipe: () => void
}

export function createFormCore({ settings, view, call, post, onRun, onError, onWipe }: FormCoreDependencies): FormCore {
  const { messages: localized } = settings
  const state: FormState = {
    step: 'card',
    options: {},
    localized,
    texts: localized.texts,
    running: null,
    brand: null,
    list: null,
    describeReason: describeOwnReason,
  }
  const fields: FormCore['fields'] = new Map()
  const steps: FormCore['steps'] = new Map()
  const fieldErrors = new Map<FieldName, string>()
  let lastChange = ''
  let lastError = { code: 0, reason: '' }

  const textOf = (reason: string, waitMs = 0): string =>
    (state.texts[state.describeReason(reason).text] ?? state.texts.service_error).replace('{0}', String(Math.ceil(waitMs / 60_000)))

  const shownFields = (): readonly FieldName[] =>
    state.step === 'card' && state.list !== null ? [] : [...fields].flatMap(([name, { step }]) => (step === state.step ? [name] : []))

  function showFieldError(name: FieldName, reason: string | null): void {
    const { input, fault } = fields.get(name) ?? {}
    if (input === undefined || fault === undefined) return
    fault.textContent = reason === null ? '' : textOf(reason)
    fieldErrors.delete(name)
    if (reason === null) input.removeAttribute('aria-invalid')
    else {
      fieldErrors.set(name, reason)
      input.setAttribute('aria-invalid', 'true')
    }
  }

  function showStep(next: FormStep): void {
    if (next !== state.step) placeFooter(next)
    state.step = next
    for (const [name, { form }] of steps) form.hidden = name !== next
    post({ type: 'step', step: next })
    postChange()
  }

  /**
   * Consent and legal texts stand above the button of the card, and last in every other step and below the saved cards. These are as high as the fields of
   * the card: the page around the frame does not move.
   */
  function placeFooter(next: FormStep): void {
    const { root, card, footer, fault, submit } = view
    const hasFields = next === 'card' && state.list === null
    if (hasFields) root.style.minHeight = ''
    else root.style.minHeight ||= `${root.getBoundingClientRect().height}px`
    if (hasFields) card.insertBefore(footer, fault.parentElement === card ? fault : submit)
    else root.append(footer)
    view.consent.row.hidden = !hasFields || state.options.save !== 'ask'
  }

  function postChange(): void {
    const shown = shownFields().map((name) => fields.get(name))
    const isPicked = state.step === 'card' && typeof state.list?.chosen === 'string'
    const complete = isPicked || (shown.length > 0 && shown.every((field) => field?.validate(field.input.value) === null))
    const empty = !isPicked && shown.every((field) => field?.input.value === '')
    const change = { type: 'change', brand: state.brand, complete, empty, errors: Object.fromEntries(fieldErrors) } as const
    // Only when something is new: one message for each key would tell the page how many digits there are and when each was typed.
    const key = JSON.stringify([state.step, change])
    if (key !== lastChange && post(change)) lastChange = key
  }

  function focusFirst(): void {
    const first = state.step === 'card' ? state.list : null
    ;(first ?? fields.get(shownFields()[0] ?? 'number')?.input)?.focus()
  }

  function checkFields(): boolean {
    if (state.step === 'card' && state.list?.chosen === null) state.list.close()
    for (const name of shownFields()) {
      const { input, validate } = fields.get(name) ?? {}
      showFieldError(name, validate?.(input?.value ?? '') ?? null)
    }
    const first = shownFields().find((name) => fieldErrors.has(name))
    if (first === undefined) return true
    fields.get(first)?.input.focus()
    postFieldError(first)
    postChange()
    return false
  }

  function postFieldError(name: FieldName): void {
    const reason = fieldErrors.get(name) ?? ''
    postError({ code: lastError.reason === reason ? lastError.code : 0, reason })
  }

  function postError({ code = 0, reason, message = textOf(reason), ...option }: ReportedError): void {
    const { field, isRetryable } = state.describeReason(reason)
    lastError = { code, reason }
    post({ type: 'error', error: { code, reason, field, retryable: isRetryable, message, ...option } })
  }

  async function run(action: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (state.running !== null) return
    const controller = (state.running = new AbortController())
    onRun()
    post({ type: 'busy', busy: true })
    lockInputs(true)
    view.root.setAttribute('aria-busy', 'true')
    view.fault.textContent = ''
    view.progressText.textContent = state.texts.busy
    showProgress(false)
    view.progress.hidden = false
    const slowTimer = setTimeout(() => {
      view.progressText.textContent = state.texts.slow ?? state.texts.busy
      showProgress(true)
    }, slowMs)
    const timeout = setTimeout(() => controller.abort('late'), callTimeoutMs)
    try {
      await action(controller.signal)
    } catch (err) {
      // Errors come from both scripts, each of which has the class.
      if (state.running === controller) onError(isCallError(err) ? err : new ApiCallError(0, 'internal_error'))
    } finally {
      clearTimeout(slowTimer)
      clearTimeout(timeout)
      if (state.running === controller) finish()
    }
  }

  /** Until it takes long, progress is only read aloud: the button shows it. */
  function showProgress(isSlow: boolean): void {
    view.cancel.hidden = !isSlow
    view.progress.classList.toggle('aloud', !isSlow)
  }

  function finish(): void {
    const wasRunning = state.running !== null
    state.running = null
    lockInputs(false)
    const hasCancelFocus = document.activeElement === view.cancel
    view.progress.hidden = true
    // The focused button disappears: focus the next thing to do.
    if (hasCancelFocus) {
      const button = state.step === 'card' ? steps.get('card')?.button : null
      if (button?.hidden === false) button.focus()
      else focusFirst()
    }
    view.root.removeAttribute('aria-busy')
    postChange()
    if (wasRunning) post({ type: 'busy', busy: false })
  }

  function showCallError({ code, reason }: ApiCallError): void {
    showFormError(view, steps.get(state.step)?.button ?? view.submit, { message: textOf(reason), isFocused: reason !== 'stopped' })
    postError({ code, reason })
  }

  /** Locks the fields of the step while its call is in flight: what is typed then would not be what was sent. */
  function lockInputs(isLocked: boolean): void {
    for (const { input, step } of fields.values()) input.readOnly = isLocked && step === state.step
  }

  function reportFocus(input: HTMLInputElement, field: FormField): void {
    for (const type of ['focus', 'blur'] as const) input.addEventListener(type, () => post({ type, field }))
  }
  reportFocus(view.consent.box, 'consent')

  function addField(name: FieldName, field: StepField): void {
    fields.set(name, field)
    const { input, validate } = field
    reportFocus(input, name)
    input.addEventListener('input', () => {
      showFieldError(name, null)
      postChange()
    })
    input.addEventListener('blur', () => {
      // An error from the service stays until the cardholder types: leaving the field does not correct it.
      const reason = input.value === '' ? null : validate(input.value)
      if (reason !== null) showFieldError(name, reason)
      postChange()
    })
  }

  function addStep(step: FormStep, { form, button }: StepView, action?: () => void): void {
    steps.set(step, { form, button })
    const act = (event: Event): void => {
      event.preventDefault()
      action?.()
    }
    // Enter in a field clicks the button, too. In a sandbox without allow-forms, no submit event follows.
    button?.addEventListener('click', act)
    form.addEventListener('submit', act)
  }

  return {
    addField,
    addStep,
    settings,
    view,
    state,
    fields,
    steps,
    call,
    post,
    run,
    finish,
    showStep,
    placeFooter,
    shownFields,
    showFieldError,
    showFieldErrors: () => {
      for (const name of fields.keys()) showFieldError(name, fieldErrors.get(name) ?? null)
    },
    showCallError,
    focusFirst,
    checkFields,
    textOf,
    postChange,
    postError,
    postFieldError,
    wipe: () => {
      for (const { input } of fields.values()) input.value = ''
      onWipe()
    },
  }
}

function isCallError(err: unknown): err is ApiCallError {
  return err instanceof Error && 'reason' in err
}

const slowMs = 3000
/** Longer than the card network's timeout of 12 s and the bank's slowest response of 10 s. */
const callTimeoutMs = 30_000
