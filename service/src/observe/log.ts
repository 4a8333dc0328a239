import pino from 'pino'

import { allow } from './fields.ts'
import type { LogFields } from './fields.ts'
import { scrubLine } from './scrub.ts'

/** The log: one JSON line an event. What is not on the list of fields, or not of its shape, is not written. */
export interface Log {
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
  /** How many card numbers the tripwire has caught: more than none is a fault of ours. */
  caught(): number
  /** How many lines were let go because nobody read them fast enough. */
  dropped(): number
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Where lines go: one call a line, with its line end. */
export interface Sink {
  write(line: string): void
  /** Sends what waits on its way. */
  readonly hurry?: () => void
  readonly dropped?: () => number
}

/** Makes the log. Behind the list stands a tripwire on the finished line, which masks what looks like a card number and counts it. */
export function makeLog(level: LogLevel, sink: Sink): Log {
  let caught = 0
  const guarded: Sink = {
    write(line) {
      const { text, found } = scrubLine(line)
      caught += found
      sink.write(text)
      if (found > 0) lines.error({ count: found }, 'log_tripwire')
    },
  }
  const lines = pino(
    {
      level,
      base: null,
      messageKey: 'event',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    guarded,
  )
  return Object.freeze({
    debug: (event: string, fields: LogFields = {}) => lines.isLevelEnabled('debug') && lines.debug(allow(fields), event),
    info: (event: string, fields: LogFields = {}) => lines.isLevelEnabled('info') && lines.info(allow(fields), event),
    warn: (event: string, fields: LogFields = {}) => lines.isLevelEnabled('warn') && lines.warn(allow(fields), event),
    error(event: string, fields: LogFields = {}) {
      lines.error(allow(fields), event)
      sink.hurry?.()
    },
    caught: () => caught,
    dropped: () => sink.dropped?.() ?? 0,
  })
}
