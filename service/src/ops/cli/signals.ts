import type { Clock } from '../../clock.ts'
import type { Exit } from '../exits.ts'
import { exits } from '../exits.ts'
import type { Log } from '../logging/log.ts'
import type { LogSink } from '../logging/sink.ts'

import { hasControllingTerminal } from './terminal.ts'

/** The process's handling of signals and of uncaught errors. */
export interface ProcessSignals {
  /** Aborted by the first SIGTERM or SIGINT, or by the SIGHUP of a terminal that closes; its reason is the signal's name. */
  readonly stopping: AbortSignal
  /** Sets what a SIGHUP without a terminal does, and does it if there was one already: a start may wait for custodians for days. */
  onReload(reload: () => void): void
  /** Stops the process like a signal, for another reason. */
  stopService(reason: string): void
  /** Ends the process now, with one last line in the log. */
  endNow(exit: Exit, event: string, err: unknown): never
}

/** Installs the handlers. To be called once, before anything else is opened. */
export function handleProcessSignals(log: Log, sink: LogSink, clock: Clock): ProcessSignals {
  // The terminal is asked for now: at its SIGHUP it is gone.
  const hasTerminal = hasControllingTerminal()
  let reload: (() => void) | null = null
  let isReloadDue = false
  const stopping = new AbortController()
  const endNow = (exit: Exit, event: string, err: unknown): never => {
    log.error(event, { exitCode: exits[exit].code, err })
    sink.flush()
    process.exit(exits[exit].code)
  }
  let firstAt = 0
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (signal === 'SIGHUP' && !hasTerminal) {
        if (stopping.signal.aborted) log.warn('signal_ignored', { signal })
        else if (reload === null) isReloadDue = true
        else reload()
        return
      }
      const at = clock.moment().monotonicMs
      if (!stopping.signal.aborted) {
        firstAt = at
        stopping.abort(signal)
      } else if (signal === 'SIGINT' && at - firstAt > ECHO_MS) endNow('interrupted', 'interrupted', undefined)
    })
  }
  // Without a listener Node opens its inspector on SIGUSR1, and anyone who may signal the process could read its memory.
  process.on('SIGUSR1', () => log.warn('signal_ignored', { signal: 'SIGUSR1' }))
  process.on('uncaughtException', (err) => endNow('internalError', 'crashed', err))
  process.on('unhandledRejection', (err) => endNow('internalError', 'crashed', err))
  // A closed terminal or pipe does not end the service.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const onReload = (then: () => void): void => {
    reload = then
    if (isReloadDue) then()
    isReloadDue = false
  }
  return Object.freeze({ stopping: stopping.signal, stopService: (reason: string) => stopping.abort(reason), endNow, onReload })
}

/** Under npm one Ctrl-C arrives twice: from the terminal and from npm. Within this time it counts as one. */
const ECHO_MS = 1000
