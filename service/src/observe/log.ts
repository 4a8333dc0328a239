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

/**
 * Makes the log. Behind the list stands a tripwire on the finished line, which masks what looks like a card number and counts it.
 * `now` is unix milliseconds.
 */
export function makeLog(level: LogLevel, sink: Sink, now: () => number): Log {
  let caught = 0
  const isoTime = makeIsoTime(now)
  const write = (lineLevel: LogLevel, event: string, fields: LogFields): void => {
    const { text, found } = scrubLine(writeLine(lineLevel, isoTime(), event, fields))
    sink.write(text)
    if (found === 0) return
    caught += found
    write('error', 'log_tripwire', { count: found })
  }
  const writerOf = (lineLevel: LogLevel) => {
    if (ranks[lineLevel] < ranks[level]) return () => undefined
    return (event: string, fields: LogFields = {}) => write(lineLevel, event, fields)
  }
  return Object.freeze({
    debug: writerOf('debug'),
    info: writerOf('info'),
    warn: writerOf('warn'),
    error(event: string, fields: LogFields = {}) {
      write('error', event, fields)
      sink.hurry?.()
    },
    caught: () => caught,
    dropped: () => sink.dropped?.() ?? 0,
  })
}

/** One line as pino writes it, level and time first, the event last. The fields are written by JSON.stringify in one go. */
function writeLine(level: LogLevel, time: string, event: string, fields: LogFields): string {
  const members = JSON.stringify(allow(fields)).slice(1, -1)
  return `{"level":"${level}","time":"${time}",${members}${members === '' ? '' : ','}"event":${JSON.stringify(event)}}\n`
}

/** Tells the time as ISO 8601, UTC, to the millisecond; all but the last digits is made once a second. */
function makeIsoTime(now: () => number): () => string {
  let second = Number.NaN
  let before = ''
  return () => {
    const at = now()
    const millisecond = at % 1000
    if (at - millisecond !== second) {
      second = at - millisecond
      before = new Date(second).toISOString().slice(0, -4)
    }
    return `${before}${String(millisecond).padStart(3, '0')}Z`
  }
}

const ranks: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }
