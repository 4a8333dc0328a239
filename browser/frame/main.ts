import {
  frameProtocol,
  readHello,
  readToFrame,
  type FormCard,
  type FormField,
  type FormStep,
  type FormWarning,
  type FrameOptions,
  type FromFrame,
} from '@tessera/contract/frame'

import { isVerificationCode, type CodeFormat } from '@tessera/contract/verification-code'

import { ApiCallError, createApiCall } from './api-call.ts'
import { readDigits } from './digits.ts'
import { parseExpiryText } from './expiry.ts'
import { watchFooter, type FooterWatch } from './footer-visibility.ts'
import { fetchTexts, readFormSettings } from './form-settings.ts'
import { codeMissingText, isEnteredAtOnce, showCodeFormat } from './code-field.ts'
import { formatCode, formatInputs, listenForInput, lockInputs, validateExpiry, validateNumber, wipeInputs } from './inputs.ts'
import { describeReason } from './reasons.ts'
import { isValidLabel, renderTexts } from './render-texts.ts'
import { applyTheme, listRejected } from './theme.ts'
import { createFormView, fieldNames, type FieldView } from './view.ts'
import { showWholeFault } from './whole-fault.ts'

// The script of the form's document: steps, calls to the service, and messages to the page that holds the frame.

const slowMs = 3000
/** Longer than the card network's timeout of 12 s and the bank's slowest response of 10 s. */
const callTimeoutMs = 30_000
const maxRejected = 20

const settings = readFormSettings()
// Announced before anything else: the page's hello is on its way while the form is built, and arrives before the first layout.
const frameId = location.hash.slice(1)
if (parent !== window) parent.postMessage({ tessera: frameProtocol, id: frameId }, settings.origin)
const call = createApiCall(settings.merchant)
const view = createFormView()
const { fields, consent, steps } = view
type InputName = keyof typeof fields

let port: MessagePort | null = null
let footerWatch: FooterWatch | null = null
let options: FrameOptions = {}
let localized = settings.messages
let texts = localized.texts
let step: FormStep = 'card'
let token = ''
let running: AbortController | null = null
let resendAtMs = 0
let codeFormat = settings.code
let countdown: ReturnType<typeof setInterval> | undefined
const fieldErrors = new Map<FormField, string>()

function post(message: FromFrame): void {
  port?.postMessage(message)
}

function configure(newOptions: FrameOptions, rejected: readonly string[] = []): void {
  // The page sends all options each time: one that is missing has its default again.
  options = newOptions
  const theme = applyTheme({ ...options.theme })
  reportProblems([...rejected, ...theme.rejected, ...listRejected('labels.', { ...options.labels }, isValidLabel)], theme.warnings)
  showTexts()
  const { locale = localized.locale } = options
  if (locale !== localized.locale) {
    void fetchTexts(locale).then((fetched) => {
      if (fetched === null || fetched.locale !== options.locale) return
      // Consent was given to the text that was shown.
      consent.box.checked = false
      localized = fetched
      showTexts()
    })
  }
  document.documentElement.dir = options.direction ?? 'ltr'
  document.documentElement.dataset['layout'] = options.layout ?? 'stacked'
  consent.row.hidden = options.save !== 'ask'
  if (consent.row.hidden) consent.box.checked = false
  view.submit.hidden = view.verify.hidden = options.button === false
  // No card is sent before the page has sent its options: it would be sent without the session, and without asking for consent.
  view.submit.disabled = port === null
}

function showTexts(): void {
  texts = renderTexts(view, settings, localized, options.labels ?? {})
  for (const name of fieldNames) showFieldError(name, fieldErrors.get(name) ?? null)
  showResend()
}

let lastProblems = ''

/** Reports to the page's developer what has to be fixed; once, however often the page sends the same options. */
function reportProblems(rejected: readonly string[], warnings: readonly FormWarning[]): void {
  const problems = JSON.stringify([rejected, warnings])
  if (port === null || problems === lastProblems) return
  lastProblems = problems
  for (const option of rejected.slice(0, maxRejected)) postError(0, 'option_refused', `${option} is not valid`, { option })
  for (const warning of warnings) post({ type: 'warning', warning })
}

function showStep(next: FormStep): void {
  step = next
  for (const [name, form] of Object.entries(steps)) form.hidden = name !== next
  post({ type: 'step', step })
  postChange()
}

function showFieldError(name: InputName, reason: string | null): void {
  const { input, fault }: FieldView = fields[name]
  fault.textContent = reason === null ? '' : textOf(reason)
  fieldErrors.delete(name)
  if (reason === null) input.removeAttribute('aria-invalid')
  else {
    fieldErrors.set(name, reason)
    input.setAttribute('aria-invalid', 'true')
  }
}

/** The text of a reason, with its figures. `waitMs`: until the cardholder may go on. */
function textOf(reason: string, waitMs = 0): string {
  const { text } = describeReason(reason)
  return text === 'code_missing' ? codeMissingText(texts, codeFormat) : texts[text].replace('{0}', String(Math.ceil(waitMs / 60_000)))
}

function validate(name: InputName): string | null {
  const { value } = fields[name].input
  if (name === 'number') return validateNumber(value)
  return name === 'expiry' ? validateExpiry(value, Date.now()) : isVerificationCode(value, codeFormat) ? null : 'code_missing'
}

const shownFields = (): readonly InputName[] => (step === 'code' ? ['code'] : ['number', 'expiry'])

let lastChange = ''

function postChange(): void {
  const shown = shownFields()
  const complete = shown.every((name) => validate(name) === null)
  const empty = shown.every((name) => fields[name].input.value === '')
  const change = { type: 'change', complete, empty, errors: Object.fromEntries(fieldErrors) } as const
  // Only when something is new: one message for each key would tell the page how many digits there are and when each was typed.
  const state = JSON.stringify([step, change])
  if (port === null || state === lastChange) return
  lastChange = state
  post(change)
}

/** Shows the errors of the step's fields and focuses the first one. Returns true when there are none. */
function checkFields(): boolean {
  for (const name of shownFields()) showFieldError(name, validate(name))
  const first = shownFields().find((name) => fieldErrors.has(name))
  if (first === undefined) return true
  fields[first].input.focus()
  postError(0, fieldErrors.get(first) ?? '')
  postChange()
  return false
}

function postError(code: number, reason: string, message = textOf(reason), option: { readonly option?: string } = {}): void {
  const { field, isRetryable } = describeReason(reason)
  post({ type: 'error', error: { code, reason, field, retryable: isRetryable, message, ...option } })
}

/** Runs one action at a time: a second press during a call does nothing. */
async function run(action: (signal: AbortSignal) => Promise<void>): Promise<void> {
  if (running !== null) return
  const controller = (running = new AbortController())
  footerWatch?.look()
  lockInputs(view, step)
  view.root.setAttribute('aria-busy', 'true')
  view.fault.textContent = ''
  view.progressText.textContent = texts.busy
  view.cancel.hidden = true
  view.progress.hidden = false
  const slowTimer = setTimeout(() => {
    view.progressText.textContent = texts.slow
    view.cancel.hidden = false
  }, slowMs)
  const timeout = setTimeout(() => controller.abort('late'), callTimeoutMs)
  try {
    await action(controller.signal)
  } catch (err) {
    if (running === controller) showError(err instanceof ApiCallError ? err : new ApiCallError(0, 'internal_error'))
  } finally {
    clearTimeout(slowTimer)
    clearTimeout(timeout)
    if (running === controller) finish()
  }
}

/** No action is running any more: it is complete, or was abandoned. */
function finish(): void {
  running = null
  lockInputs(view, null)
  const hasCancelFocus = document.activeElement === view.cancel
  view.progress.hidden = true
  // The focused button disappears: focus the next thing to do.
  if (hasCancelFocus && step !== 'done')
    (step === 'code' ? fields.code.input : view.submit.hidden ? fields.number.input : view.submit).focus()
  view.root.removeAttribute('aria-busy')
  postChange()
}

function showError({ code, reason, retryAfterMs }: ApiCallError): void {
  // The last wrong code: either another one may be requested, or verification stops for a while.
  const isStopped = reason === 'verification_stopped' || (reason === 'tries_used_up' && retryAfterMs > 0)
  const shown = isStopped ? 'verification_stopped' : reason
  const { field } = describeReason(shown)
  const message = textOf(shown, retryAfterMs)
  const shownField = field !== null && field !== 'consent' && steps[step].contains(fields[field].input) ? field : null
  // After `stopped`, the focus is on what can be done next.
  if (shownField === null)
    showWholeFault(view, step === 'code' ? view.verify : view.submit, { message, isFocused: !isStopped && reason !== 'stopped' })
  else {
    showFieldError(shownField, reason)
    fields[shownField].input.focus()
  }
  if ((isStopped || reason === 'resend_too_soon') && retryAfterMs > 0) startCountdown(retryAfterMs)
  if (isStopped) stopCodeStep()
  if (isStopped || field === 'code') fields.code.input.value = ''
  postError(code, reason, message)
}

function submit(): void {
  if (step !== 'card' || running !== null || !checkFields()) return
  void run(async (signal) => {
    const hasConsent = options.save === 'ask' && consent.box.checked
    const { locale, disclosure } = localized
    const params = {
      card: { number: readDigits(fields.number.input.value), expire: parseExpiryText(fields.expiry.input.value) },
      save: hasConsent,
      form: settings.form,
      consent: hasConsent ? { version: disclosure.version, sha256: disclosure.sha256, locale, at: Date.now() } : undefined,
      session: options.session,
    }
    const { card } = (await call('cards.create', params, signal)) as { card: { token: string } }
    token = card.token
    await requestCode(signal)
    wipeInputs(view)
    showStep('code')
    fields.code.input.focus()
  })
}

async function requestCode(signal: AbortSignal): Promise<void> {
  const sent = (await call('cards.get_verify_code', { token, form: settings.form }, signal)) as unknown as {
    phone: string
    wait: number
    code?: CodeFormat
  }
  const { phone, wait: ms, code = settings.code } = sent
  codeFormat = code
  showCodeFormat(fields.code, view.codeHint, codeFormat)
  fields.code.input.disabled = fields.code.input.readOnly = view.verify.disabled = false
  view.sent.textContent = `${texts.codeSent} ${phone}`
  fields.code.input.value = ''
  showFieldError('code', null)
  startCountdown(ms)
}

/** No code is checked for now: only another card, and later another code, lead on. */
function stopCodeStep(): void {
  if (step !== 'code') return
  showFieldError('code', null)
  fields.code.input.disabled = view.verify.disabled = true
  view.back.focus()
}

function resend(): void {
  if (step !== 'code' || Date.now() < resendAtMs) return
  void run(async (signal) => {
    await requestCode(signal)
    fields.code.input.focus()
  })
}

function verify(): void {
  if (step !== 'code' || running !== null || !checkFields()) return
  void run(async (signal) => {
    const { card } = (await call('cards.verify', { token, code: fields.code.input.value }, signal)) as { card: FormCard }
    const { number, expire, recurrent, verify: isVerified, type } = card
    wipeInputs(view)
    view.doneCard.textContent = number
    showStep('done')
    view.done.focus()
    post({ type: 'token', token, card: { number, expire, recurrent, verify: isVerified, type } })
    token = ''
  })
}

function startCountdown(ms: number): void {
  resendAtMs = Date.now() + ms
  clearInterval(countdown)
  countdown = setInterval(showResend, 1000)
  showResend()
  post({ type: 'wait', ms })
}

function showResend(): void {
  const seconds = Math.ceil((resendAtMs - Date.now()) / 1000)
  view.resend.disabled = seconds > 0
  view.resend.textContent =
    seconds > 0 ? `${texts.resendIn} ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}` : texts.resend
  if (seconds <= 0) clearInterval(countdown)
}

/** Back to an empty form. A call that is running is aborted. */
function clear(): void {
  running?.abort()
  token = ''
  wipeInputs(view)
  consent.box.checked = false
  fields.code.input.disabled = view.verify.disabled = false
  view.fault.textContent = ''
  for (const name of fieldNames) showFieldError(name, null)
  showStep('card')
  finish()
}

function back(): void {
  clear()
  fields.number.input.focus()
}

/** What the page may ask the form to do. */
const actions = {
  submit,
  verify,
  resend,
  back,
  clear,
  focus: () => fields[step === 'code' ? 'code' : 'number'].input.focus(),
  moved: () => footerWatch?.postpone(),
}

for (const name of fieldNames) {
  const { input } = fields[name]
  if (name === 'code') listenForInput(input, () => formatCode(fields.code, codeFormat))
  input.addEventListener('input', (event) => {
    showFieldError(name, null)
    postChange()
    // A code that was pasted or filled in needs no button. One that is typed does: a slip in its last character would cost an attempt.
    if (name === 'code' && isEnteredAtOnce(event) && validate('code') === null) verify()
  })
  input.addEventListener('blur', () => {
    // An error from the service stays until the cardholder types: leaving the field does not correct it.
    const reason = input.value === '' ? null : validate(name)
    if (reason !== null) showFieldError(name, reason)
    postChange()
  })
}
formatInputs(view)
for (const [form, button, action] of [
  [steps.card, view.submit, submit],
  [steps.code, view.verify, verify],
] as const) {
  const act = (event: Event): void => {
    event.preventDefault()
    action()
  }
  // Enter in a field clicks the button, too. In a sandbox without allow-forms, no submit event follows.
  button.addEventListener('click', act)
  form.addEventListener('submit', act)
}
consent.box.addEventListener('click', (event) => {
  if (running !== null) event.preventDefault()
})
view.resend.addEventListener('click', resend)
view.back.addEventListener('click', back)
view.cancel.addEventListener('click', () => running?.abort())
addEventListener('keydown', ({ key }) => {
  if (key === 'Escape' && !view.cancel.hidden) running?.abort()
})
addEventListener('pagehide', () => wipeInputs(view))

view.progress.hidden = true
showCodeFormat(fields.code, view.codeHint, codeFormat)
document.body.append(view.root)
configure({})
showStep('card')

/** Accepts the first valid hello and its port. Every later message to the window is ignored. */
function acceptHello(event: MessageEvent): void {
  const hello = readHello(event.data)
  const [helloPort] = event.ports
  if (event.source !== parent || event.origin !== settings.origin || hello?.id !== frameId || helloPort === undefined) return
  removeEventListener('message', acceptHello)
  port = helloPort
  helloPort.onmessage = ({ data }: MessageEvent) => {
    const message = readToFrame(data)
    if (message?.type === 'configure') configure(message.options, message.refused)
    else if (message !== null) actions[message.type]()
  }
  post({ type: 'ready' })
  new ResizeObserver(() => post({ type: 'size', height: Math.ceil(view.root.getBoundingClientRect().height) })).observe(view.root)
  footerWatch = watchFooter(view.footer, (state) => post({ type: 'seen', state }))
}
addEventListener('message', acceptHello)
