import type { FormCard } from '@tessera/contract/frame'
import type { Language } from '@tessera/contract/profile'
import { isVerificationCode, type CodeFormat } from '@tessera/contract/verification-code'

import type { ApiCallError } from '../api-call.ts'
import { readDigits } from '../digits.ts'
import { parseExpiryText } from '../expiry.ts'
import type { FormCore } from '../form-core.ts'
import { showFormError } from '../form-error.ts'
import { isEnteredAtOnce, listenForInput, setText } from '../inputs.ts'
import type { DeferredForm } from '../load-deferred.ts'
import { deferredTextsIn, type DeferredTexts } from '../texts.ts'

import { markOf } from './brands.ts'
import { codeMissingText, confirmsItself, formatCode, readCodeText, showCodeFormat } from './code-field.ts'
import { createLaterView } from './code-view.ts'
import { formatMask, formatPhone, spellPhone } from './masks.ts'
import { waitForMessage } from './web-otp.ts'

export interface CodeStep extends Pick<DeferredForm, 'renderTexts' | 'sendCard' | 'verify' | 'resend' | 'reset' | 'showCallError'> {
  /** Shows that a saved card was picked. */
  readonly showPicked: (number: string) => void
  /** The texts that depend on what codes look like. */
  readonly codeTexts: (locale: Language) => Pick<DeferredTexts, 'code_missing'>
}

/** Sends the card, takes the code that the cardholder received, and shows that the card is confirmed. */
export function createCodeStep(core: FormCore, back: () => void): CodeStep {
  const { settings, state, call } = core
  const view = createLaterView(core.view.progress)
  const { code } = view
  let token = ''
  let resendAtMs = 0
  let codeFormat = settings.code
  let phone = ''
  let countdown: ReturnType<typeof setInterval> | undefined
  let expiryTimer: ReturnType<typeof setTimeout> | undefined
  let waitMs = 0
  let doneText: 'done' | 'picked' = 'done'
  let messageWait = new AbortController()

  async function sendCard(signal: AbortSignal): Promise<void> {
    const { number, expiry, consent } = core.view
    const hasConsent = state.options.save === 'ask' && consent.box.checked
    const { locale, disclosure } = state.localized
    const params = {
      card: { number: readDigits(number.input.value), expire: parseExpiryText(expiry.input.value) },
      save: hasConsent,
      form: settings.form,
      consent: hasConsent ? { version: disclosure.version, sha256: disclosure.sha256, locale, at: Date.now() } : undefined,
      session: state.options.session,
    }
    const { card } = (await call('cards.create', params, signal)) as { card: FormCard & { token: string } }
    token = card.token
    for (const place of [view.cardMark, view.doneMark]) place.replaceChildren(...markOf(card.number))
    view.cardNumber.textContent = formatMask(card.number)
    await requestCode(signal)
    core.wipe()
    core.showStep('code')
    code.input.focus()
  }

  async function requestCode(signal: AbortSignal): Promise<void> {
    const sent = (await call('cards.get_verify_code', { token, form: settings.form }, signal)) as unknown as {
      phone: string
      wait: number
      code?: CodeFormat & { readonly lifetime?: number }
    }
    phone = sent.phone
    setCodeFormat(sent.code ?? settings.code)
    code.input.disabled = code.input.readOnly = view.verify.disabled = false
    code.input.value = ''
    core.showFieldError('code', null)
    renderTexts()
    startCountdown(sent.wait)
    clearTimeout(expiryTimer)
    if (sent.code?.lifetime !== undefined) expiryTimer = setTimeout(showExpired, sent.code.lifetime)
    leave()
    messageWait = new AbortController()
    waitForMessage(messageWait.signal, (text) => {
      setText(code.input, { text: readCodeText(text, codeFormat), caret: text.length })
      code.input.dispatchEvent(new Event('input'))
    })
  }

  /** The step is left, or another code is on its way: no message is waited for any more. */
  function leave(): void {
    messageWait.abort()
  }

  /** Says that the code is too old before the cardholder spends an attempt on it. */
  function showExpired(): void {
    if (state.step === 'code' && state.running === null && !code.input.disabled) core.showFieldError('code', 'code_expired')
  }

  function setCodeFormat(format: CodeFormat): void {
    codeFormat = format
    showCodeFormat(code, view.codeHint, format)
    state.texts = { ...state.texts, ...codeTexts(state.localized.locale) }
  }

  function codeTexts(locale: Language): Pick<DeferredTexts, 'code_missing'> {
    return { code_missing: codeMissingText(deferredTextsIn(locale), codeFormat) }
  }

  function verify(): void {
    if (state.step !== 'code' || state.running !== null) return
    // The code has just confirmed itself and was wrong, when its button is pressed as well: the error stays.
    if (isRefusedCode()) {
      code.input.focus()
      return
    }
    if (!core.checkFields()) return
    void core.run(async (signal) => {
      const { card } = (await call('cards.verify', { token, code: code.input.value }, signal)) as { card: FormCard }
      const { number, expire, recurrent, verify: isVerified, type } = card
      core.wipe()
      leave()
      clearTimeout(expiryTimer)
      showDone('done', number)
      core.post({ type: 'token', token, card: { number, expire, recurrent, verify: isVerified, type } })
      token = ''
    })
  }

  /** The code was wrong, and nothing was typed since: its error is shown. */
  function isRefusedCode(): boolean {
    return code.input.value === '' && code.input.getAttribute('aria-invalid') === 'true'
  }

  /** For the page, which waits for an outcome. The cardholder who presses the button sees the error, and the page is not told again. */
  function verifyForPage(): void {
    if (state.running === null && isRefusedCode()) core.postFieldError('code')
    verify()
  }

  function showDone(text: typeof doneText, number: string): void {
    doneText = text
    renderTexts()
    view.doneCard.textContent = formatMask(number)
    core.showStep('done')
    view.done.focus()
  }

  function resend(): void {
    if (state.step !== 'code' || Date.now() < resendAtMs) return
    void core.run(async (signal) => {
      await requestCode(signal)
      code.input.focus()
    })
  }

  function showCallError({ code: errorCode, reason, retryAfterMs }: ApiCallError): void {
    // The last wrong code: either another one may be requested, or verification stops for a while.
    const isStopped = reason === 'verification_stopped' || (reason === 'tries_used_up' && retryAfterMs > 0)
    const shown = isStopped ? 'verification_stopped' : reason
    const { field } = state.describeReason(shown)
    const message = core.textOf(shown, retryAfterMs)
    const shownField = core.shownFields().find((name) => name === field)
    // After `stopped`, the focus is on what can be done next.
    if (shownField === undefined)
      showFormError(core.view, state.step === 'code' ? view.verify : core.view.submit, {
        message,
        isFocused: !isStopped && reason !== 'stopped',
      })
    else {
      core.showFieldError(shownField, reason)
      core.fields.get(shownField)?.input.focus()
    }
    if ((isStopped || reason === 'resend_too_soon') && retryAfterMs > 0) startCountdown(retryAfterMs)
    if (isStopped) stop()
    if (isStopped || field === 'code') code.input.value = ''
    core.postError({ code: errorCode, reason, message })
  }

  /** No code is checked for now: only another card, and later another code, lead on. */
  function stop(): void {
    if (state.step !== 'code') return
    core.showFieldError('code', null)
    code.input.disabled = view.verify.disabled = true
    view.back.focus()
  }

  function startCountdown(ms: number): void {
    resendAtMs = Date.now() + ms
    waitMs = ms
    clearInterval(countdown)
    countdown = setInterval(renderResend, 1000)
    renderResend()
    core.post({ type: 'wait', ms })
  }

  function renderResend(): void {
    const { resendIn = '', resend: resendText = '' } = state.texts
    const remainingMs = Math.max(0, resendAtMs - Date.now())
    const seconds = Math.ceil(remainingMs / 1000)
    view.resend.style.setProperty('--filled', `${waitMs > 0 && seconds > 0 ? Math.round(100 - (100 * remainingMs) / waitMs) : 0}%`)
    view.resend.disabled = seconds > 0
    view.resend.textContent = seconds > 0 ? `${resendIn} ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}` : resendText
    if (seconds <= 0) clearInterval(countdown)
  }

  function renderTexts(): void {
    const { texts } = state
    code.label.textContent = texts.code ?? ''
    for (const name of ['verify', 'back'] as const) view[name].textContent = texts[name] ?? ''
    view.done.textContent = texts[doneText] ?? ''
    view.codeHint.textContent = texts.codeLetters ?? ''
    view.sent.textContent = texts.codeSent ?? ''
    view.phone.textContent = formatPhone(phone)
    view.phoneAloud.textContent = spellPhone(phone, texts.phoneAloud ?? '')
    view.helpSummary.textContent = texts.noSms ?? ''
    for (const [index, name] of (['noSmsPhone', 'noSmsService', 'noSmsCredit', 'noSmsThen'] as const).entries()) {
      const item = view.helpItems[index]
      if (item !== undefined) item.textContent = texts[name] ?? ''
    }
    renderResend()
  }

  listenForInput(code.input, () => formatCode(code, codeFormat))
  core.addField('code', {
    ...code,
    step: 'code',
    validate: (text) => (isVerificationCode(text, codeFormat) ? null : 'code_missing'),
  })
  code.input.addEventListener('input', (event) => {
    // Digits need no button, unless the page wants one. Letters that are typed do: a slip in the last one would cost an attempt.
    const isWhole =
      isVerificationCode(code.input.value, codeFormat) && (isEnteredAtOnce(event) || confirmsItself(code.input.value, codeFormat))
    if (isWhole && state.options.autoConfirm !== false && !(event instanceof InputEvent && event.isComposing)) verify()
  })
  core.addStep('code', { form: view.codeForm, button: view.verify }, verify)
  core.addStep('done', { form: view.doneForm, button: null })
  view.resend.addEventListener('click', resend)
  view.back.addEventListener('click', back)
  showCodeFormat(code, view.codeHint, codeFormat)

  return {
    renderTexts,
    sendCard,
    verify: verifyForPage,
    resend,
    showPicked: (number) => {
      view.doneMark.replaceChildren(...markOf(number))
      showDone('picked', number)
    },
    showCallError,
    codeTexts,
    reset() {
      leave()
      clearTimeout(expiryTimer)
      token = ''
      code.input.disabled = view.verify.disabled = false
    },
  }
}
