import type { FormStep } from '@tessera/contract/frame'

import { CallFailed, makeCall } from '../frame/call.ts'
import { CardForm } from '../page/card-form.ts'

import { applyWords, makeView } from './view.ts'
import { languages, preferredOf, wordsIn, type Ending, type Language } from './words.ts'

// The hosted page: the form for who has no page of a merchant's around it, a messenger's browser or an app. It is a page like any other to the form: the frame in it
// keeps the digits to itself. The session comes behind the # and is taken out of the address before anything else.
const session = location.hash.slice(1)
history.replaceState(null, '', location.pathname + location.search)

const waitMsMax = 15_000
const cancelMsMax = 4000
const lookEveryMs = 60_000
/** The time to read that it went well. */
const readMs = 1500

interface Facts {
  readonly merchant: string
  readonly merchantName: string
  /** Null: as the browser asks. */
  readonly locale: Language | null
}

interface Shown {
  readonly state: 'open' | 'done' | 'cancelled' | 'ended'
  readonly expires_at: number
  readonly return: string | null
  readonly save: 'ask' | 'off'
}

const facts = JSON.parse(document.getElementById('tessera')?.textContent ?? '{}') as Facts
const call = makeCall(facts.merchant)
const view = makeView()
let locale = facts.locale ?? preferredOf(navigator.languages)
let words = wordsIn(locale)
let ending: Ending | null = null
let form: CardForm | null = null
let returnTo: URL | null = null
let step: FormStep = 'card'

function speak(): void {
  words = wordsIn(locale)
  document.documentElement.lang = locale
  document.title = `${words.title} · ${facts.merchantName}`
  applyWords(view, words, { ...facts, host: returnTo?.host ?? null, ending, locale })
}

/** Says why there is no form, or no more, and offers what can be done. */
function end(next: Ending): void {
  ending = next
  form?.unmount()
  form = null
  view.place.hidden = true
  view.again.hidden = next !== 'offline'
  view.back.hidden = returnTo === null
  speak()
  view.said.focus()
}

async function open(): Promise<void> {
  ending = null
  view.again.hidden = true
  speak()
  // Nothing was given, or the page was loaded again after the session had left its address.
  if (session === '') {
    end('missing')
    return
  }
  const shown = await ask('form.sessions.show')
  if (shown === null) return
  if (shown.return === null) {
    end('unknown')
    return
  }
  returnTo = new URL(shown.return)
  view.back.hidden = false
  if (shown.state !== 'open') {
    end(shown.state)
    if (shown.state === 'done') setTimeout(go, readMs)
    return
  }
  view.place.hidden = false
  form = new CardForm({ merchant: facts.merchant, formOrigin: location.origin, locale, save: shown.save, session })
  form.on('token', () => leave('done'))
  form.on('ready', () => form?.focus())
  form.on('step', (next) => (step = next))
  // The form tells it of a page that may be loaded again; this one is over.
  form.on('error', ({ reason }) => {
    const over = overBy[reason]
    if (over !== undefined) end(over)
  })
  form.mount(view.place)
  speak()
}

const overBy: Readonly<Record<string, Ending | undefined>> = {
  session_used_up: 'usedUp',
  session_ended: 'ended',
  session_unknown: 'unknown',
  // There is nothing but this page to say it: it would stay blank.
  frame_no_answer: 'offline',
}

/** The service's clock counts, not the phone's, which may be wrong. A code that was sent can still be typed when the session is over. */
async function lookWhetherOver(): Promise<void> {
  const isAtCard = (): boolean => form !== null && ending === null && step === 'card'
  if (!isAtCard()) return
  const shown = (await call('form.sessions.show', { session }, AbortSignal.timeout(waitMsMax)).catch(() => null)) as Shown | null
  if (shown !== null && shown.state !== 'open' && isAtCard()) end(shown.state)
}

/** Null when it was refused; the page says so by then. */
async function ask(method: string): Promise<Shown | null> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort('late'), waitMsMax)
  try {
    return (await call(method, { session }, late.signal)) as unknown as Shown
  } catch (err) {
    const isRefused = err instanceof CallFailed && (err.reason === 'session_unknown' || err.reason === 'params_invalid')
    end(isRefused ? 'unknown' : 'offline')
    return null
  } finally {
    clearTimeout(timer)
  }
}

/** Back to the merchant, with the outcome and nothing else; this page is not in the way of the back button. */
function leave(outcome: 'done' | 'cancelled'): void {
  ending = outcome
  speak()
  setTimeout(go, outcome === 'done' ? readMs : 0)
}

function go(): void {
  if (returnTo === null) return
  const address = new URL(returnTo)
  address.searchParams.set('tessera', ending === 'done' ? 'done' : ending === 'ended' || ending === 'usedUp' ? 'ended' : 'cancelled')
  location.replace(address)
}

async function turnBack(): Promise<void> {
  if (ending === null) {
    // Whoever wants to leave leaves, whether the service hears of it or not.
    view.back.disabled = true
    // Nothing is sent any more from here on.
    form?.unmount()
    form = null
    await call('form.sessions.cancel', { session }, AbortSignal.timeout(cancelMsMax)).catch(() => null)
    leave('cancelled')
  } else go()
}

view.back.addEventListener('click', () => void turnBack())
view.again.addEventListener('click', () => void open())
for (const language of languages) {
  view.languages[language].addEventListener('click', () => {
    locale = language
    form?.update({ locale })
    speak()
  })
}
// The same link once more, in a page that is open: another session, or the one that this page has lost.
addEventListener('hashchange', () => location.reload())
document.body.append(view.root)
void open()
setInterval(() => void lookWhetherOver(), lookEveryMs)
