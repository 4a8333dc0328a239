import type { Clock } from '../../clock.ts'
import type { Exit } from '../exits.ts'
import { exits } from '../exits.ts'
import type { Log } from '../logging/log.ts'
import type { LogSink } from '../logging/sink.ts'

/** What the process does with signals and with errors that nobody caught. */
export interface TakenOver {
  /** Aborted by the first SIGTERM, SIGINT or SIGHUP; its reason is the signal's name. */
  readonly stopping: AbortSignal
  /** Ends the process now, with one last line in the log. */
  endNow(exit: Exit, event: string, err: unknown): never
}

/** Takes the process over: to be called once, before anything else is opened. */
export function takeOver(log: Log, sink: LogSink, clock: Clock): TakenOver {
  const stopping = new AbortController()
  const endNow = (exit: Exit, event: string, err: unknown): never => {
    log.error(event, { exitCode: exits[exit].code, err })
    sink.flush()
    process.exit(exits[exit].code)
  }
  let firstAt = 0
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const at = clock.moment().monotonicMs
      if (!stopping.signal.aborted) {
        firstAt = at
        stopping.abort(signal)
      } else if (signal === 'SIGINT' && at - firstAt > ECHO_MS) endNow('interrupted', 'interrupted', undefined)
    })
  }
  // Without a listener Node opens its inspector on SIGUSR1, and whoever may signal us could read our memory.
  process.on('SIGUSR1', () => log.warn('signal_ignored', { signal: 'SIGUSR1' }))
  process.on('uncaughtException', (err) => endNow('fault', 'crashed', err))
  process.on('unhandledRejection', (err) => endNow('fault', 'crashed', err))
  // A terminal or pipe that has gone away ends nothing.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  return Object.freeze({ stopping: stopping.signal, endNow })
}

/** One Ctrl-C arrives twice under npm: from the terminal, and handed on by npm. Within this time it is the same one. */
const ECHO_MS = 1000
