import {
  frameProtocol,
  readHello,
  readToFrame,
  type FormField,
  type FormStep,
  type FormWarning,
  type FrameOptions,
  type FromFrame,
} from '@tessera/contract/frame'

import { CallFailed, makeCall } from './call.ts'
import { readDigits } from './digits.ts'
import { readExpiryText } from './expiry.ts'
import { askWords, readFacts } from './facts.ts'
import { judgeExpiry, judgeNumber, shapeInputs, wipeInputs } from './inputs.ts'
import { tellReason } from './reasons.ts'
import { watchSeen } from './seen.ts'
import { applyTheme, listRefused } from './theme.ts'
import { fieldNames as names, makeView, type FieldView } from './view.ts'
import { isLabel, writeWords } from './words.ts'

const facts = readFacts()
// The first thing of all: while the form is built, the page's hello is on its way, and comes before the first layout.
const id = location.hash.slice(1)
if (parent !== window) parent.postMessage({ tessera: frameProtocol, id }, facts.origin)
const call = makeCall(facts.merchant)
const view = makeView()
const { fields, consent, steps } = view
type Typable = keyof typeof fields

let port: MessagePort | null = null
let options: FrameOptions = {}
let said = facts.words
let words = said.texts
let step: FormStep = 'card'
let token = ''
let running: AbortController | null = null
let resendAtMs = 0
let ticking: ReturnType<typeof setInterval> | undefined
let faults: Partial<Record<FormField, string>> = {}

function tell(message: FromFrame): void {
  port?.postMessage(message)
}

function configure(given: FrameOptions, refused: readonly string[] = []): void {
  // The page tells all of them each time: what is left out is as if it had never been said.
  options = given
  const { pale, refused: unfit } = applyTheme({ ...options.theme })
  tellMade([...refused, ...unfit, ...listRefused('labels.', { ...options.labels }, isLabel)], pale)
  speak()
  const { locale = said.locale } = options
  if (locale !== said.locale) {
    void askWords(locale).then((told) => {
      if (told === null || told.locale !== options.locale) return
      // Who agreed, agreed to the text that was shown.
      consent.box.checked = false
      said = told
      speak()
    })
  }
  document.documentElement.dir = options.direction ?? 'ltr'
  document.documentElement.dataset['layout'] = options.layout ?? 'stacked'
  consent.row.hidden = options.save !== 'ask'
  if (consent.row.hidden) consent.box.checked = false
  view.submit.hidden = view.verify.hidden = options.button === false
  // Until the page has told them no card goes: it would go without its session, and unasked whether it is kept.
  view.submit.disabled = port === null
}

function speak(): void {
  words = writeWords(view, facts, said, options.labels ?? {})
  for (const name of names) showFault(name, faults[name] ?? null)
  showResend()
}

let madeTold = ''

/** What the page's maker is to mend; once, however often the page tells the same options again. */
function tellMade(refused: readonly string[], pale: readonly FormWarning[]): void {
  const text = JSON.stringify([refused, pale])
  if (port === null || text === madeTold) return
  madeTold = text
  for (const option of refused.slice(0, refusedMax)) {
    const message = `${option} is not taken`
    tell({ type: 'error', error: { code: 0, reason: 'option_refused', field: null, retryable: false, message, option } })
  }
  for (const warning of pale) tell({ type: 'warning', warning })
}

const refusedMax = 20

function show(next: FormStep): void {
  step = next
  for (const [name, form] of Object.entries(steps)) form.hidden = name !== next
  tell({ type: 'step', step })
  tellChange()
}

function showFault(name: Typable, reason: string | null): void {
  const { input, fault }: FieldView = fields[name]
  fault.textContent = reason === null ? '' : words[tellReason(reason).text]
  const others = Object.entries(faults).filter(([other]) => other !== name)
  faults = Object.fromEntries(reason === null ? others : [...others, [name, reason] as const])
  if (reason === null) input.removeAttribute('aria-invalid')
  else input.setAttribute('aria-invalid', 'true')
}

function judge(name: Typable): string | null {
  const { value } = fields[name].input
  if (name === 'number') return judgeNumber(value)
  return name === 'expiry' ? judgeExpiry(value, Date.now()) : /^[0-9]{6}$/.test(value) ? null : 'code_missing'
}

let changeTold = ''

function tellChange(): void {
  const shown = step === 'code' ? (['code'] as const) : (['number', 'expiry'] as const)
  const complete = shown.every((name) => judge(name) === null)
  const change = { type: 'change', complete, empty: shown.every((name) => fields[name].input.value === ''), errors: { ...faults } } as const
  // Only what is new: a message a key would tell the page how many digits there are, and when each was typed.
  const text = JSON.stringify([step, change])
  if (port === null || text === changeTold) return
  changeTold = text
  tell(change)
}

/** Shows every fault of these fields and stands at the first; true when there is none. */
function checkFields(...asked: Typable[]): boolean {
  for (const name of asked) showFault(name, judge(name))
  const first = asked.find((name) => faults[name] !== undefined)
  if (first === undefined) return true
  fields[first].input.focus()
  tellError(0, faults[first] ?? '')
  tellChange()
  return false
}

function tellError(code: number, reason: string): void {
  const { text, field, isRetryable } = tellReason(reason)
  tell({ type: 'error', error: { code, reason, field, retryable: isRetryable, message: words[text] } })
}

/** One deed at a time: a second press while one runs does nothing. */
async function run(deed: (signal: AbortSignal) => Promise<void>): Promise<void> {
  if (running !== null) return
  const mine = (running = new AbortController())
  view.root.setAttribute('aria-busy', 'true')
  view.fault.textContent = ''
  view.progressText.textContent = words.busy
  view.cancel.hidden = true
  view.progress.hidden = false
  const slow = setTimeout(() => {
    view.progressText.textContent = words.slow
    view.cancel.hidden = false
  }, slowMs)
  const late = setTimeout(() => mine.abort('late'), waitMsMax)
  try {
    await deed(mine.signal)
  } catch (err) {
    if (running === mine) refuse(err instanceof CallFailed ? err : new CallFailed(0, 'internal_error'))
  } finally {
    clearTimeout(slow)
    clearTimeout(late)
    if (running === mine) rest()
  }
}

/** Nothing is under way any more, whether it came to its end or was let go. */
function rest(): void {
  running = null
  const isAtCancel = document.activeElement === view.cancel
  view.progress.hidden = true
  // The button goes away under whoever pressed it.
  if (isAtCancel && step !== 'done') (step === 'code' ? fields.code.input : view.submit.hidden ? fields.number.input : view.submit).focus()
  view.root.removeAttribute('aria-busy')
  tellChange()
}

const slowMs = 3000
/** Longer than the network's own 12 s and the bank's slowest 10 s. */
const waitMsMax = 30_000

function refuse({ code, reason, retryAfterMs }: CallFailed): void {
  const { text, field } = tellReason(reason)
  const here = field !== null && field !== 'consent' && steps[step].contains(fields[field].input) ? field : null
  if (here === null) view.fault.textContent = words[text]
  else {
    showFault(here, reason)
    fields[here].input.focus()
  }
  if (reason === 'resend_too_soon' && retryAfterMs > 0) wait(retryAfterMs)
  if (field === 'code') fields.code.input.value = ''
  tellError(code, reason)
}

function submit(): void {
  if (step !== 'card' || running !== null || !checkFields('number', 'expiry')) return
  void run(async (signal) => {
    const isKept = options.save === 'ask' && consent.box.checked
    const { locale, disclosure } = said
    const params = {
      card: { number: readDigits(fields.number.input.value), expire: readExpiryText(fields.expiry.input.value) },
      save: isKept,
      form: facts.form,
      ...(isKept ? { consent: { version: disclosure.version, sha256: disclosure.sha256, locale, at: Date.now() } } : {}),
      ...(options.session === undefined ? {} : { session: options.session }),
    }
    const { card } = (await call('cards.create', params, signal)) as { card: { token: string } }
    token = card.token
    await askCode(signal)
    wipeInputs(view)
    show('code')
    fields.code.input.focus()
  })
}

async function askCode(signal: AbortSignal): Promise<void> {
  const { phone, wait: ms } = (await call('cards.get_verify_code', { token }, signal)) as { phone: string; wait: number }
  view.sent.textContent = `${words.codeSent} ${phone}`
  fields.code.input.value = ''
  showFault('code', null)
  wait(ms)
}

function resend(): void {
  if (step !== 'code' || Date.now() < resendAtMs) return
  void run(async (signal) => {
    await askCode(signal)
    fields.code.input.focus()
  })
}

function verify(): void {
  if (step !== 'code' || running !== null || !checkFields('code')) return
  void run(async (signal) => {
    const { card } = (await call('cards.verify', { token, code: fields.code.input.value }, signal)) as { card: Card }
    const { number, expire, recurrent, verify: isVerified, type } = card
    wipeInputs(view)
    view.doneCard.textContent = number
    show('done')
    view.done.focus()
    tell({ type: 'token', token, card: { number, expire, recurrent, verify: isVerified, type } })
    token = ''
  })
}

interface Card {
  readonly number: string
  readonly expire: string
  readonly recurrent: boolean
  readonly verify: boolean
  readonly type: string
}

function wait(ms: number): void {
  resendAtMs = Date.now() + ms
  clearInterval(ticking)
  ticking = setInterval(showResend, 1000)
  showResend()
  tell({ type: 'wait', ms })
}

function showResend(): void {
  const seconds = Math.ceil((resendAtMs - Date.now()) / 1000)
  view.resend.disabled = seconds > 0
  view.resend.textContent =
    seconds > 0 ? `${words.resendIn} ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}` : words.resend
  if (seconds <= 0) clearInterval(ticking)
}

/** Back to an empty form; what was under way is let go. */
function clear(): void {
  running?.abort()
  token = ''
  wipeInputs(view)
  consent.box.checked = false
  view.fault.textContent = ''
  for (const name of names) showFault(name, null)
  show('card')
  rest()
}

function back(): void {
  clear()
  fields.number.input.focus()
}

const deeds = { submit, verify, resend, back, clear, focus: () => fields[step === 'code' ? 'code' : 'number'].input.focus() }

for (const name of names) {
  const { input } = fields[name]
  input.addEventListener('input', () => {
    showFault(name, null)
    tellChange()
  })
  input.addEventListener('blur', () => {
    // What the service said of it stays until something is typed: leaving a field answers nothing.
    const reason = input.value === '' ? null : judge(name)
    if (reason !== null) showFault(name, reason)
    tellChange()
  })
}
shapeInputs(view)
for (const [form, deed] of [
  [steps.card, submit],
  [steps.code, verify],
] as const) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    deed()
  })
}
view.resend.addEventListener('click', resend)
view.back.addEventListener('click', back)
view.cancel.addEventListener('click', () => running?.abort())
addEventListener('keydown', ({ key }) => {
  if (key === 'Escape' && !view.cancel.hidden) running?.abort()
})
addEventListener('pagehide', () => wipeInputs(view))

view.progress.hidden = true
document.body.append(view.root)
configure({})
show('card')

/** The first right hello opens the port; nobody else is heard after it. */
function listen(event: MessageEvent): void {
  const hello = readHello(event.data)
  const [given] = event.ports
  if (event.source !== parent || event.origin !== facts.origin || hello?.id !== id || given === undefined) return
  removeEventListener('message', listen)
  port = given
  given.onmessage = ({ data: said }: MessageEvent) => {
    const message = readToFrame(said)
    if (message?.type === 'configure') configure(message.options, message.refused)
    else if (message !== null) deeds[message.type]()
  }
  tell({ type: 'ready' })
  new ResizeObserver(() => tell({ type: 'size', height: Math.ceil(view.root.getBoundingClientRect().height) })).observe(view.root)
  watchSeen(view.footer, (state) => tell({ type: 'seen', state }))
}
addEventListener('message', listen)
