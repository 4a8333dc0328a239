import type { FormStep } from '@tessera/contract/frame'
import type { Language } from '@tessera/contract/profile'

import { ApiCallError, createApiCall } from '../frame/api-call.ts'
import { CardForm } from '../page/card-form.ts'

import { hostedTextsIn, pageLanguages, preferredLanguage, type EndReason } from './texts.ts'
import { createHostedView, renderHostedTexts } from './view.ts'

// The hosted page: the card form for a merchant without a page of its own, in a messenger's browser or an app. To the form it is a page like
// any other: the frame in it keeps the digits to itself. The session is behind the # and is removed from the address before anything else.
const session = location.hash.slice(1)
history.replaceState(null, '', location.pathname + location.search)

const requestTimeoutMs = 15_000
const cancelTimeoutMs = 4000
const pollIntervalMs = 60_000
/** How long the cardholder can read the final message before the page goes back to the merchant. */
const readTimeMs = 1500

interface HostedPageSettings {
  readonly merchant: string
  readonly merchantName: string
  /** Null: the browser's language. */
  readonly locale: Language | null
}

interface SessionDetails {
  readonly state: 'open' | 'done' | 'cancelled' | 'ended'
  readonly expires_at: number
  readonly return: string | null
  readonly save: 'ask' | 'off'
}

const settings = JSON.parse(document.getElementById('tessera')?.textContent ?? '{}') as HostedPageSettings
const call = createApiCall(settings.merchant)
const view = createHostedView()
let locale = settings.locale ?? preferredLanguage(navigator.languages)
let endReason: EndReason | null = null
let form: CardForm | null = null
let returnUrl: URL | null = null
let step: FormStep = 'card'

function showTexts(): void {
  const texts = hostedTextsIn(locale)
  document.documentElement.lang = locale
  document.title = `${texts.title} · ${settings.merchantName}`
  renderHostedTexts(view, texts, { merchantName: settings.merchantName, host: returnUrl?.host ?? null, endReason, locale })
}

/** Removes the form, says why, and offers what can be done. */
function end(reason: EndReason): void {
  endReason = reason
  removeForm()
  view.formContainer.hidden = true
  view.retry.hidden = reason !== 'offline'
  view.back.hidden = returnUrl === null
  showTexts()
  view.message.focus()
}

function removeForm(): void {
  form?.unmount()
  form = null
}

async function open(): Promise<void> {
  endReason = null
  view.retry.hidden = true
  showTexts()
  // There was no session, or the page was reloaded after the session had been removed from the address.
  if (session === '') {
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
  view.back.hidden = false
  if (details.state !== 'open') {
    end(details.state)
    if (details.state === 'done') setTimeout(goBack, readTimeMs)
    return
  }
  mountForm(details)
  showTexts()
}

function mountForm({ save }: SessionDetails): void {
  view.formContainer.hidden = false
  form = new CardForm({ merchant: settings.merchant, formOrigin: location.origin, locale, save, session })
  form.on('token', () => leave('done'))
  form.on('ready', () => form?.focus())
  form.on('step', (next) => (step = next))
  // The form's own text for these reasons asks the cardholder to reload the page; this page cannot be reloaded.
  form.on('error', ({ reason }) => {
    const ended = endReasons[reason]
    if (ended !== undefined) end(ended)
  })
  form.mount(view.formContainer)
}

const endReasons: Readonly<Record<string, EndReason | undefined>> = {
  session_used_up: 'usedUp',
  session_ended: 'ended',
  session_unknown: 'unknown',
  // Only this page can report it: the frame is blank.
  frame_no_answer: 'offline',
}

/** Null when the request failed; the page then shows why. */
async function loadSession(): Promise<SessionDetails | null> {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort('late'), requestTimeoutMs)
  try {
    return (await call('form.sessions.show', { session }, controller.signal)) as unknown as SessionDetails
  } catch (err) {
    const isUnknown = err instanceof ApiCallError && (err.reason === 'session_unknown' || err.reason === 'params_invalid')
    end(isUnknown ? 'unknown' : 'offline')
    return null
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
  const request = call('form.sessions.show', { session }, AbortSignal.timeout(requestTimeoutMs))
  const details = (await request.catch(() => null)) as SessionDetails | null
  if (details !== null && details.state !== 'open' && isAtCardStep()) end(details.state)
}

/** Returns to the merchant with the outcome and nothing else. */
function leave(outcome: 'done' | 'cancelled'): void {
  endReason = outcome
  showTexts()
  setTimeout(goBack, outcome === 'done' ? readTimeMs : 0)
}

function goBack(): void {
  if (returnUrl === null) return
  const url = new URL(returnUrl)
  url.searchParams.set('tessera', endReason === 'done' ? 'done' : endReason === 'ended' || endReason === 'usedUp' ? 'ended' : 'cancelled')
  // Replaces this page in the history: the back button does not lead here.
  location.replace(url)
}

async function cancelAndGoBack(): Promise<void> {
  if (endReason !== null) {
    goBack()
    return
  }
  view.back.disabled = true
  // From here on nothing is sent.
  removeForm()
  // The cardholder leaves even when the service cannot be reached.
  await call('form.sessions.cancel', { session }, AbortSignal.timeout(cancelTimeoutMs)).catch(() => null)
  leave('cancelled')
}

view.back.addEventListener('click', () => void cancelAndGoBack())
view.retry.addEventListener('click', () => void open())
for (const language of pageLanguages) {
  view.languages[language].addEventListener('click', () => {
    locale = language
    form?.update({ locale })
    showTexts()
  })
}
// A link opened in a page that is open already: another session, or the one that this page has lost.
addEventListener('hashchange', () => location.reload())
document.body.append(view.root)
void open()
setInterval(() => void pollSession(), pollIntervalMs)
