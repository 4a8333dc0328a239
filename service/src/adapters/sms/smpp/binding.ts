import { smsLongAwayMs } from '../sms.ts'

import { openSmppSession, type SmppSession, type SmppSessionOptions } from './session.ts'

export interface SmppBindingOptions extends Omit<SmppSessionOptions, 'log'> {
  /** How long messages wait for the first connection of this process, whose attempt goes on. For a later one they do not wait. */
  readonly firstBindMs: number
  /** Before the second attempt to connect; doubled up to `maxReconnectMs`. */
  readonly reconnectMs: number
  /** `seconds`: how long there was no session, in an event about that. */
  readonly log: (event: string, details: { readonly err?: unknown; readonly seconds?: number }) => void
}

/** `binding`: the first session of this process is being opened. `away`: it was not opened in time, or it was lost. */
export type SmppBindingState = 'new' | 'binding' | 'bound' | 'away'

/** A session that is opened again, ever more seldom, after it was lost. */
export interface SmppBinding {
  state(): SmppBindingState
  /** Null unless bound. */
  session(): SmppSession | null
  /** How long there has been no session, since it was to connect or since the last one was lost; 0 while there is one. */
  awayMs(): number
  /** Connects, if it has not begun to. It ends with the signal. */
  start(): void
}

export function makeSmppBinding(options: SmppBindingOptions, signal: AbortSignal, onChange: () => void): SmppBinding {
  const { clock, log } = options
  const sessionOptions: SmppSessionOptions = { ...options, log: (event, err) => log(event, { err }) }
  let session: SmppSession | null = null
  let state: SmppBindingState = 'new'
  /** Of the monotonic clock; null before the start and while there is a session. */
  let awaySince: number | null = null
  let isReported = false
  signal.addEventListener('abort', () => session?.close(), { once: true })
  return { state: () => state, session: () => session, awayMs, start }

  function start(): void {
    if (state !== 'new' || signal.aborted) return
    state = 'binding'
    awaySince = clock.moment().monotonicMs
    void run()
    void clock.sleep(options.firstBindMs, signal).then(giveUpFirst, () => undefined)
  }

  function giveUpFirst(): void {
    if (state === 'binding') change('away', null)
  }

  async function run(): Promise<void> {
    let waitMs = options.reconnectMs
    while (!isAborted(signal)) {
      const boundAt = clock.moment().monotonicMs
      const opened = await openSmppSession(sessionOptions, signal)
      if (opened !== null) {
        change('bound', opened)
        if (isAborted(signal)) opened.close()
        await opened.ended
        if (clock.moment().monotonicMs - boundAt > steadyMs) waitMs = options.reconnectMs
      }
      change('away', null)
      await clock.sleep(waitMs, signal).catch(() => undefined)
      waitMs = Math.min(waitMs * 2, maxReconnectMs)
    }
  }

  function change(to: SmppBindingState, opened: SmppSession | null): void {
    reportAway(opened !== null)
    state = to
    session = opened
    onChange()
  }

  function awayMs(): number {
    return awaySince === null ? 0 : clock.moment().monotonicMs - awaySince
  }

  /** Each attempt has a line of its own; one line more says that they have failed for a minute, and one that this is over. */
  function reportAway(isBound: boolean): void {
    const seconds = Math.round(awayMs() / 1000)
    if (isBound) {
      if (isReported) log('sms_bind_returned', { seconds })
      isReported = false
      awaySince = null
      return
    }
    awaySince ??= clock.moment().monotonicMs
    if (isReported || seconds * 1000 < smsLongAwayMs || signal.aborted) return
    isReported = true
    log('sms_bind_away', { seconds })
  }
}

/** A function, because the type checker takes the value from before a wait for the present one. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted
}

const maxReconnectMs = 30_000
/** A connection that held so long is no reason to wait longer before the next. */
const steadyMs = 60_000
