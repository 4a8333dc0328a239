import type { FormStep } from '@tessera/contract/frame'
import type { Language } from '@tessera/contract/profile'

import { ApiCallError, createApiCall } from '../frame/api-call.ts'
import { formatAmount } from '../bridge/amount.ts'
import { CardForm } from '../page/card-form.ts'

import { brandColorsFor, grounds, textOn } from './brand-colors.ts'
import { takeSession } from './stored-session.ts'
import { hostedTextsIn, pageLanguages, preferredLanguage, type EndReason } from './texts.ts'
import { createHostedView, documentTitleOf, renderHostedTexts } from './view.ts'

// The hosted page: the card form for a merchant without a page of its own, in a messenger's browser or an app. To the form it is a page like
// any other: the frame in it keeps the digits to itself. The session is behind the # and is removed from the address before anything else.
const settings = JSON.parse(document.getElementById('tessera')?.textContent ?? '{}') as HostedPageSettings
const session = takeSession(settings.merchant)

const requestTimeoutMs = 15_000
const cancelTimeoutMs = 4000
const pollIntervalMs = 60_000
/** How long the cardholder can read the final message before the page goes back to the merchant. */
const readTimeMs = 1500
const darkScheme = matchMedia('(prefers-color-scheme: dark)')

interface HostedPageSettings {
  readonly merchant: string
  readonly merchantName: string
  /** Null: the browser's language. */
  readonly locale: Language | null
  readonly environment: 'test' | 'production'
  readonly providerName: string
  readonly providerUrl: string
  /** Path of the merchant's logo; '' without one. */
  readonly logo: string
  /** `#rrggbb`, or '' for the page's own color. */
  readonly brandColor: string
}

interface SessionDetails {
  readonly state: 'open' | 'done' | 'cancelled' | 'ended'
  readonly expires_at: number
  readonly return: string | null
  readonly save: 'ask' | 'off'
  /** Tiyin; null: none is shown. */
  readonly amount: number | null
  readonly order: string | null
  /** The saved cards to choose from. The form requests them by itself. */
  readonly cards: readonly object[]
  /** Id of the saved card that was picked. */
  readonly picked: string | null
}

const call = createApiCall(settings.merchant)
const view = createHostedView({ logo: settings.logo, isTest: settings.environment === 'test' })
let locale = settings.locale ?? preferredLanguage(navigator.languages)
let endReason: EndReason | null = null
let form: CardForm | null = null
let returnUrl: URL | null = null
let step: FormStep = 'card'
let shown: Pick<SessionDetails, 'amount' | 'order' | 'cards'> = { amount: null, order: null, cards: [] }

function showTexts(): void {
  const texts = hostedTextsIn(locale)
  document.documentElement.lang = locale
  const { amount: amountTiyin, order, cards } = shown
  const host = returnUrl?.host ?? null
  const state = { ...settings, host, amountTiyin, order, hasSavedCards: cards.length > 0, endReason, locale }
  document.title = documentTitleOf(texts, state)
  renderHostedTexts(view, texts, state)
}

/** The form's buttons say what is paid. */
function formLabels(): { submit: string; verify: string } | undefined {
  if (shown.amount === null) return undefined
  const { payButton, confirmButton } = hostedTextsIn(locale)
  const amount = formatAmount(shown.amount, locale)
  return { submit: payButton(amount), verify: confirmButton(amount) }
}

/** The merchant's color, in the page for the scheme that the device shows, and in the form for both. */
function paintBrand(brand: string): void {
  const { style } = document.documentElement
  const { accent, accentText } = brandColorsFor(brand, darkScheme.matches ? 'dark' : 'light')
  const colors = { accent, accentText, pane: brand, paneText: textOn(brand) }
  for (const [name, color] of Object.entries(colors)) style.setProperty(`--${name}`, color)
}

function formTheme(brand: string) {
  const [light, dark] = (['light', 'dark'] as const).map((scheme) => {
    const { accent, accentText } = brandColorsFor(brand, scheme)
    return { accent, accentText, focus: accent, background: grounds[scheme] }
  })
  return { ...light, dark }
}

/** Removes the form, says why, and offers what can be done. */
function end(reason: EndReason): void {
  endReason = reason
  removeForm()
  view.formContainer.hidden = true
  view.retry.hidden = reason !== 'offline'
  view.back.hidden = returnUrl === null
  if (reason === 'unknown') session.remove()
  showTexts()
  view.ending.focus()
}

/** Shows how the session has ended, and returns to the merchant when it is completed. */
function endAs({ state, picked }: SessionDetails): void {
  if (state === 'open') return
  end(picked === null ? state : 'picked')
  if (state === 'done') setTimeout(goBack, readTimeMs)
}

function removeForm(): void {
  form?.unmount()
  form = null
}

async function open(): Promise<void> {
  endReason = null
  view.retry.hidden = true
  showTexts()
  // There was no session in the address, and none was stored in this window.
  if (session.text === '') {
    end('missing')
    return
  }
  const details = await loadSession()
  if (details === null) return
  if (details.return === null) {
    end('unknown')
    return
  }
  returnUrl = new URL(details.return)
  shown = details
  view.back.hidden = false
  if (details.state !== 'open') {
    endAs(details)
    return
  }
  mountForm(details)
  showTexts()
}

function mountForm({ save }: SessionDetails): void {
  view.formContainer.hidden = false
  const { merchant, brandColor } = settings
  const look = brandColor === '' ? {} : { theme: formTheme(brandColor) }
  const labels = formLabels()
  form = new CardForm({
    merchant,
    formOrigin: location.origin,
    locale,
    save,
    session: session.text,
    ...look,
    ...(labels === undefined ? {} : { labels }),
  })
  form.on('token', () => leave('done'))
  form.on('pick', () => leave('picked'))
  form.on('ready', () => form?.focus())
  form.on('step', (next) => (step = next))
  // The form's own text for these reasons asks the cardholder to reload the page; this page cannot be reloaded.
  form.on('error', ({ reason }) => {
    const ended = endReasons[reason]
    if (reason === 'session_done' || reason === 'session_used_up') void endByState(reason)
    else if (ended !== undefined) end(ended)
  })
  form.mount(view.formContainer)
}

const endReasons: Readonly<Record<string, EndReason | undefined>> = {
  session_ended: 'ended',
  session_unknown: 'unknown',
  // Only this page can report it: the frame is blank.
  frame_no_answer: 'offline',
}

/** The session accepts no further card. It may be completed, in another window: its state says so, and whether a saved card was picked. */
async function endByState(reason: 'session_done' | 'session_used_up'): Promise<void> {
  const details = await fetchSession().catch(() => null)
  if (endReason !== null) return
  if (details?.state === 'done') endAs(details)
  else if (reason === 'session_done') leave('done')
  else end('usedUp')
}

/** Null when the request failed; the page then shows why. */
async function loadSession(): Promise<SessionDetails | null> {
  try {
    return await fetchSession()
  } catch (err) {
    const isUnknown = err instanceof ApiCallError && (err.reason === 'session_unknown' || err.reason === 'params_invalid')
    end(isUnknown ? 'unknown' : 'offline')
    return null
  }
}

async function fetchSession(): Promise<SessionDetails> {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort('late'), requestTimeoutMs)
  try {
    return (await call('form.sessions.show', { session: session.text }, controller.signal)) as unknown as SessionDetails
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Checks whether the session has ended, by the service's clock: the phone's may be wrong. Not after the card step, because a code that was
 * sent can still be entered when the session is over.
 */
async function pollSession(): Promise<void> {
  const isAtCardStep = (): boolean => form !== null && endReason === null && step === 'card'
  if (!isAtCardStep()) return
  const details = await fetchSession().catch(() => null)
  if (details !== null && isAtCardStep()) endAs(details)
}

/** Shows the outcome in place of the form, and returns to the merchant with it and nothing else. */
function leave(outcome: 'done' | 'picked' | 'cancelled'): void {
  end(outcome)
  setTimeout(goBack, outcome === 'cancelled' ? 0 : readTimeMs)
}

function goBack(): void {
  if (returnUrl === null) return
  const url = new URL(returnUrl)
  url.searchParams.set('tessera', outcomes[endReason ?? 'cancelled'] ?? 'cancelled')
  session.remove()
  // Replaces this page in the history: the back button does not lead here.
  location.replace(url)
}

/** What the page of the merchant is told; everything else is `cancelled`. */
const outcomes: Readonly<Partial<Record<EndReason, string>>> = { done: 'done', picked: 'done', ended: 'ended', usedUp: 'ended' }

async function cancelAndGoBack(): Promise<void> {
  if (endReason !== null) {
    goBack()
    return
  }
  view.back.disabled = true
  // From here on nothing is sent.
  removeForm()
  // The cardholder leaves even when the service cannot be reached.
  await call('form.sessions.cancel', { session: session.text }, AbortSignal.timeout(cancelTimeoutMs)).catch(() => null)
  leave('cancelled')
}

view.back.addEventListener('click', () => void cancelAndGoBack())
view.retry.addEventListener('click', () => void open())
for (const language of pageLanguages) {
  view.languages[language].addEventListener('click', () => {
    locale = language
    const labels = formLabels()
    form?.update({ locale, ...(labels === undefined ? {} : { labels }) })
    showTexts()
  })
}
// A link opened in a page that is open already: another session, or the one that this page has lost.
addEventListener('hashchange', () => location.reload())
// Shown again from the browser's cache, by back or forward: the session may have ended meanwhile.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})
if (settings.brandColor !== '') {
  paintBrand(settings.brandColor)
  darkScheme.addEventListener('change', () => paintBrand(settings.brandColor))
}
document.body.append(view.root)
void open()
setInterval(() => void pollSession(), pollIntervalMs)
