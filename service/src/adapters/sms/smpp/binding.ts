import { openSmppSession, type SmppSession, type SmppSessionOptions } from './session.ts'

export interface SmppBindingOptions extends SmppSessionOptions {
  /** How long messages wait for the first connection of this process, whose attempt goes on. For a later one they do not wait. */
  readonly firstBindMs: number
  /** Before the second attempt to connect; doubled up to `maxReconnectMs`. */
  readonly reconnectMs: number
}

/** `binding`: the first session of this process is being opened. `away`: it was not opened in time, or it was lost. */
export type SmppBindingState = 'new' | 'binding' | 'bound' | 'away'

/** A session that is opened again, ever more seldom, after it was lost. */
export interface SmppBinding {
  state(): SmppBindingState
  /** Null unless bound. */
  session(): SmppSession | null
  /** Connects, if it has not begun to. It ends with the signal. */
  start(): void
}

export function makeSmppBinding(options: SmppBindingOptions, signal: AbortSignal, onChange: () => void): SmppBinding {
  const { clock } = options
  let session: SmppSession | null = null
  let state: SmppBindingState = 'new'
  signal.addEventListener('abort', () => session?.close(), { once: true })
  return { state: () => state, session: () => session, start }

  function start(): void {
    if (state !== 'new' || signal.aborted) return
    state = 'binding'
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
      const opened = await openSmppSession(options, signal)
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
    state = to
    session = opened
    onChange()
  }
}

/** A function, because the type checker takes the value from before a wait for the present one. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted
}

const maxReconnectMs = 30_000
/** A connection that held so long is no reason to wait longer before the next. */
const steadyMs = 60_000
