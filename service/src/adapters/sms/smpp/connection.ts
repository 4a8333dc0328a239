import type { SmsConnection } from '../sms.ts'

import { makeSmppBinding, type SmppBinding, type SmppBindingOptions } from './binding.ts'
import { smppStatuses } from './pdu.ts'
import type { SmppBindAs, SmppReply } from './session.ts'

/** One session as a transceiver; or two, for a message centre that has no `bind_transceiver`. */
export type SmppBindMode = 'transceiver' | 'transmitter_and_receiver'

export interface SmppConnectionOptions extends Omit<SmppBindingOptions, 'bindAs' | 'log'> {
  readonly bindMode: SmppBindMode
  /** Messages that may wait for their response at the same time. */
  readonly window: number
  /** After the first throttled message; doubled up to 32 times. */
  readonly throttleMs: number
  /** `bind`: as what the session is bound. */
  readonly log: (event: string, details: { readonly bind: SmppBindAs; readonly err?: unknown; readonly seconds?: number }) => void
}

/** A message centre that this process is bound to, again and again after a session was lost. Messages depend on the session that sends them alone. */
export interface SmppConnection {
  /** Connects, if it has not begun to; so that delivery reports arrive before the first message is sent. */
  start(): void
  /** Sends a message within the window, and again after a pause while the message centre throttles. Never throws. */
  submit(body: Buffer, signal: AbortSignal): Promise<SmppReply>
  /** The sessions, and how long each has been away. */
  list(): readonly SmsConnection[]
  close(): void
}

export function makeSmppConnection(options: SmppConnectionOptions): SmppConnection {
  const { bindMode, clock, window, throttleMs } = options
  const closing = new AbortController()
  const waiting = new Set<() => void>()
  const hasTwoSessions = bindMode === 'transmitter_and_receiver'
  const sender = bind(hasTwoSessions ? 'transmitter' : 'transceiver', wake)
  const receiver = hasTwoSessions ? bind('receiver', () => undefined) : null
  let inFlight = 0
  let isPaused = false
  let pauseMs = 0

  return Object.freeze({ start, submit, list, close })

  function bind(bindAs: SmppBindAs, onChange: () => void): SmppBinding {
    const log: SmppBindingOptions['log'] = (event, details) => options.log(event, { bind: bindAs, ...details })
    return makeSmppBinding({ ...options, bindAs, log }, closing.signal, onChange)
  }

  function start(): void {
    sender.start()
    receiver?.start()
  }

  async function submit(body: Buffer, signal: AbortSignal): Promise<SmppReply> {
    start()
    for (;;) {
      const refusal = await takePlace(signal)
      if (refusal !== null) return { kind: 'notSent', why: refusal }
      const bound = sender.session()
      if (bound === null) {
        leavePlace()
        return { kind: 'notSent', why: 'not connected' }
      }
      const reply = await replyWithin(bound.submit(body).finally(leavePlace), signal)
      if (reply.kind !== 'replied' || !throttlings.has(reply.status)) {
        if (reply.kind === 'replied') pauseMs = 0
        return reply
      }
      pause()
      if (!(await pauseIsOver(signal))) return reply
    }
  }

  /** Null when the message may be sent now. */
  async function takePlace(signal: AbortSignal): Promise<string | null> {
    while (!signal.aborted && !closing.signal.aborted) {
      if (sender.state() === 'away') return 'not connected'
      if (sender.state() === 'bound' && inFlight < window && !isPaused) {
        inFlight++
        return null
      }
      await change(signal)
    }
    // It may have been woken for a place that the next can take.
    if (inFlight < window) wakeNext()
    return sender.state() === 'bound' && !closing.signal.aborted ? 'window full' : 'not connected'
  }

  /** Only the message that has waited longest is woken: waking all for each place takes minutes when thousands wait. */
  function leavePlace(): void {
    inFlight--
    wakeNext()
  }

  /** Nothing is sent until the pause is over. Its timer alone ends it: timers fire up to a millisecond before a clock says that their time has come. */
  function pause(): void {
    if (isPaused) return
    isPaused = true
    pauseMs = Math.min(Math.max(throttleMs, pauseMs * 2), throttleMs * maxPauses)
    void clock.sleep(pauseMs, closing.signal).then(resume, () => undefined)
  }

  function resume(): void {
    isPaused = false
    wake()
  }

  /** False when the caller has gone before. */
  async function pauseIsOver(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted && !closing.signal.aborted && isPaused) await change(signal)
    return !signal.aborted && !closing.signal.aborted
  }

  /** Resolves when something has changed that a message waits for, or when its caller has gone. */
  function change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      waiting.add(done)
      signal.addEventListener('abort', done, { once: true })
    })
  }

  function wakeNext(): void {
    const [longest] = waiting
    longest?.()
  }

  function wake(): void {
    for (const done of [...waiting]) done()
  }

  function list(): readonly SmsConnection[] {
    const senderBind = hasTwoSessions ? 'transmitter' : 'transceiver'
    return [
      { bind: senderBind, awayMs: sender.awayMs() },
      ...(receiver === null ? [] : [{ bind: 'receiver', awayMs: receiver.awayMs() } as const]),
    ]
  }

  function close(): void {
    closing.abort()
    wake()
  }
}

/** A response that comes after the caller has gone still frees its place in the window. */
function replyWithin(reply: Promise<SmppReply>, signal: AbortSignal): Promise<SmppReply> {
  if (signal.aborted) return Promise.resolve({ kind: 'unknown' })
  return new Promise((resolve) => {
    const giveUp = (): void => resolve({ kind: 'unknown' })
    signal.addEventListener('abort', giveUp, { once: true })
    void reply.then((value) => {
      signal.removeEventListener('abort', giveUp)
      resolve(value)
    })
  })
}

const throttlings: ReadonlySet<number> = new Set([smppStatuses.throttled, smppStatuses.queueFull])
const maxPauses = 32
