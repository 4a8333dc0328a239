import {
  frameProtocol,
  readHello,
  readToFrame,
  type FormStep,
  type FormWarning,
  type FrameOptions,
  type FromFrame,
} from '@tessera/contract/frame'

import { createApiCall, type ApiCallError } from './api-call.ts'
import { createFormCore } from './form-core.ts'
import { fetchTexts, readFormSettings } from './form-settings.ts'
import { watchFooter, type FooterWatch } from './footer-visibility.ts'
import { formatInputs, validateExpiry, validateNumber } from './inputs.ts'
import { loadDeferred, rejectOnAbort, type DeferredForm } from './load-deferred.ts'
import { listInvalidLabels, renderTexts, withLabels } from './render-texts.ts'
import { devicePreference, showAppearance } from './show-appearance.ts'
import { fetchSavedCards, type SavedCardOffer } from './saved-cards.ts'
import { createFormView } from './view.ts'

// The script of the form's document: the card, its errors, and messages to the page that holds the frame. Everything else is in the deferred script.

const maxRejected = 20
/** Where nothing is painted, because the frame is not on the screen. */
const paintTimeoutMs = 1000
const loadPausesMs = [1000, 5000]
/** How long the form waits for its appearance before it is shown without. */
const appearanceWaitMs = 1500
/** How long the fields wait for the saved cards of the session. */
const savedCardsMs = 1000

const settings = readFormSettings()
// Announced before anything else: the page's hello is on its way while the form is built, and arrives before the first layout.
const frameId = location.hash.slice(1)
if (parent !== window) parent.postMessage({ tessera: frameProtocol, id: frameId }, settings.origin)
const view = createFormView()

let port: MessagePort | null = null
let footerWatch: FooterWatch | null = null
let deferred: DeferredForm | null = null
let pageColors: readonly string[] | undefined
/** Whether the page waits for the outcome of submit() or verify(). */
let isAwaited = false

const core = createFormCore({
  settings,
  view,
  call: createApiCall(settings.merchant),
  post,
  onRun: () => footerWatch?.look(),
  onError: (error: ApiCallError) => (deferred ?? core).showCallError(error),
  onWipe: () => deferred?.renderBrand(),
})
const { state } = core

function post(message: FromFrame): boolean {
  port?.postMessage(message)
  if (isOutcome(message)) isAwaited = false
  if (message.type === 'busy' && !message.busy) endRequest()
  return port !== null
}

/** Whether the promises of submit() and verify() are resolved by this message (browser/page/card-form.ts). */
function isOutcome(message: FromFrame): boolean {
  if (message.type === 'step') return message.step !== 'done'
  if (message.type === 'error') return message.error.reason !== 'option_refused'
  return message.type === 'token' || message.type === 'pick'
}

/** Does what the page asks for. At another step it has its outcome already: the message with the step is on its way. */
function handleRequest(step: FormStep, action: () => void): void {
  if (state.step !== step) return
  isAwaited = true
  action()
  if (state.running === null) endRequest()
}

/** No promise of the page stays open: the call that was running, for another code or the removal of a saved card, has no outcome for it. */
function endRequest(): void {
  if (isAwaited) post({ type: 'ignored' })
  isAwaited = false
}

function configure(options: FrameOptions, rejected: readonly string[] = []): void {
  // The page sends all options each time: one that is missing has its default again.
  state.options = options
  refused = rejected
  void restyle()
  showTexts()
  const { locale = state.localized.locale } = options
  if (locale !== state.localized.locale) {
    void fetchTexts(locale).then((fetched) => {
      if (fetched === null || fetched.locale !== state.options.locale) return
      // Consent was given to the text that was shown.
      view.consent.box.checked = false
      state.localized = fetched
      showTexts()
    })
  }
  // The first step has its height again, in another language, font or width. The later ones keep it.
  if (state.step === 'card') view.root.style.minHeight = ''
  document.documentElement.dir = options.direction ?? 'ltr'
  document.documentElement.dataset['layout'] = options.layout ?? 'stacked'
  view.consent.row.hidden = options.save !== 'ask' || state.step !== 'card' || state.list !== null
  if (options.save !== 'ask') view.consent.box.checked = false
  showButtons()
  state.list?.reserve()
}

let savedCardsOf: string | undefined
/** Until the deferred script is there, and can show them. */
let savedCards: readonly SavedCardOffer[] = []
let sizes: ResizeObserver | null = null

/**
 * Shows the saved cards that the session offers, in place of the fields. With the first session, the fields are transparent until it is known whether there
 * are any; what is typed meanwhile is typed.
 */
function requestSavedCards(session: string | undefined): void {
  const { classList } = document.body
  if (session === undefined || session === savedCardsOf) return
  if (savedCardsOf === undefined) {
    classList.add('waiting')
    setTimeout(showFields, savedCardsMs)
  }
  savedCardsOf = session
  void fetchSavedCards(core.call, session)
    .then(async (cards) => {
      if (session !== savedCardsOf) return
      // Without a response a card can be entered.
      savedCards = cards ?? []
      if (deferred !== null) deferred.offerCards(savedCards)
      else if (savedCards.length > 0) await loadRest()
    })
    .catch(() => null)
    .finally(showFields)
}

/** The page gets the form's height from here on. Before, without options, appearance and saved cards, the form has another one, and the page would move. */
function showFields(): void {
  document.body.classList.remove('waiting')
  sizes?.observe(view.root)
}

let isReady = false
let refused: readonly string[] = []

/** Applies the scheme and the appearance. The first time, the form is not seen until it has them. */
async function restyle(): Promise<void> {
  if (port === null) return
  const { options } = state
  const applied = showAppearance(options, pageColors, settings.environment === 'test')
  if (!isReady) {
    isReady = true
    // Not before the page has sent its options: a card could be sent without the session and without consent, and a layout without options would delay them.
    document.body.append(view.root)
    document.body.hidden = (options.appearance ?? options.theme) !== undefined
    await Promise.race([applied, new Promise((resolve) => setTimeout(resolve, appearanceWaitMs))])
    document.body.hidden = false
    core.post({ type: 'ready' })
    sizes = new ResizeObserver(() => core.post({ type: 'size', height: Math.ceil(view.root.getBoundingClientRect().height) }))
    state.list?.reserve()
    if (!document.body.classList.contains('waiting')) showFields()
  }
  const problems = await applied
  state.list?.reserve()
  reportProblems([...refused, ...problems.rejected, ...listInvalidLabels({ ...options.labels })], problems.warnings)
}

function showButtons(): void {
  for (const { button } of core.steps.values()) if (button !== null) button.hidden = state.options.button === false
}

function showTexts(): void {
  const { localized, options } = state
  state.texts = withLabels({ ...localized.texts, ...deferred?.textsIn(localized.locale) }, options)
  renderTexts(view, settings, localized, state.texts)
  deferred?.renderTexts()
  core.showFieldErrors()
}

let lastProblems = ''

/** Reports to the page's developer what has to be fixed; once, however often the page sends the same options. */
function reportProblems(rejected: readonly string[], warnings: readonly FormWarning[]): void {
  const problems = JSON.stringify([rejected, warnings])
  if (port === null || problems === lastProblems) return
  lastProblems = problems
  for (const option of rejected.slice(0, maxRejected))
    core.postError({ reason: 'option_refused', message: `${option} is not valid`, option })
  for (const warning of warnings) core.post({ type: 'warning', warning })
}

let loading: Promise<DeferredForm> | null = null

/** The rest of the form. One attempt at a time; after one that failed, the next call tries again. */
function loadRest(): Promise<DeferredForm> {
  loading ??= loadDeferred()
    .then((create) => {
      if (deferred !== null) return deferred
      const rest = (deferred = create(core, back))
      showTexts()
      showButtons()
      renderBrand()
      if (savedCards.length > 0) rest.offerCards(savedCards)
      return rest
    })
    .finally(() => {
      loading = null
    })
  return loading
}

/** Loads the rest while the cardholder still types: after the form was painted, and again after a failure. */
function loadSoon([pauseMs, ...pausesMs]: readonly number[]): void {
  loadRest().catch(() => {
    if (pauseMs !== undefined) setTimeout(() => loadSoon(pausesMs), pauseMs)
  })
}

function renderBrand(): void {
  deferred?.renderBrand()
  core.postChange()
}

function submit(): void {
  if (state.step !== 'card' || state.running !== null || !core.checkFields()) return
  void core.run(async (signal) => {
    const rest = deferred ?? (await Promise.race([loadRest(), rejectOnAbort(signal)]))
    await rest.sendCard(signal)
  })
}

/** Back to an empty form. A call that is running is aborted. */
function clear(): void {
  state.running?.abort()
  core.wipe()
  view.consent.box.checked = false
  view.fault.textContent = ''
  for (const name of core.fields.keys()) core.showFieldError(name, null)
  deferred?.reset()
  core.showStep('card')
  core.finish()
}

function back(): void {
  clear()
  core.focusFirst()
}

/** What the page may ask the form to do. */
const actions = {
  submit: () => handleRequest('card', submit),
  verify: () => handleRequest('code', () => deferred?.verify()),
  resend: () => deferred?.resend(),
  back,
  clear,
  focus: core.focusFirst,
  moved: () => footerWatch?.postpone(),
}

formatInputs(view)
core.addField('number', { ...view.number, step: 'card', validate: validateNumber })
core.addField('expiry', { ...view.expiry, step: 'card', validate: (text) => validateExpiry(text, Date.now()) })
core.addStep('card', { form: view.card, button: view.submit }, submit)
view.number.input.addEventListener('input', renderBrand)
view.consent.box.addEventListener('click', (event) => {
  if (state.running !== null) event.preventDefault()
})
view.cancel.addEventListener('click', () => state.running?.abort())
addEventListener('keydown', ({ key }) => {
  if (key === 'Escape' && !view.cancel.hidden) state.running?.abort()
})
addEventListener('pagehide', core.wipe)

view.progress.hidden = true
configure({})
core.showStep('card')

function receive({ data }: MessageEvent): void {
  const message = readToFrame(data)
  if (message?.type === 'configure') {
    pageColors = message.page
    configure(message.options, message.refused)
    requestSavedCards(message.options.session)
  } else if (message !== null) actions[message.type]()
}

/** Accepts the first valid hello and its port. Every later message to the window is ignored. */
function acceptHello(event: MessageEvent): void {
  const hello = readHello(event.data)
  const [helloPort] = event.ports
  if (event.source !== parent || event.origin !== settings.origin || hello?.id !== frameId || helloPort === undefined) return
  removeEventListener('message', acceptHello)
  port = helloPort
  helloPort.onmessage = receive
  receive(event)
  footerWatch = watchFooter(view.footer, (seen) => core.post({ type: 'seen', state: seen }))
  loadAfterPaint()
}
addEventListener('message', acceptHello)
devicePreference.onchange = () => void restyle()

function loadAfterPaint(): void {
  let isStarted = false
  const start = (): void => {
    if (!isStarted) loadSoon(loadPausesMs)
    isStarted = true
  }
  // Reported when the pixels are on the screen. An animation frame, and a task after it, come before.
  new PerformanceObserver(start).observe({ type: 'paint', buffered: true })
  setTimeout(start, paintTimeoutMs)
}
