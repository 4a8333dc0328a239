import { formatFields } from './fields.ts'
import type { LogFields } from './fields.ts'
import { scrubLine } from './scrub.ts'

/** The log: one JSON line an event. A field that is not on the list, or not of its shape, is not written. */
export interface Log {
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
  /** How many card numbers the tripwire has masked: more than zero is a bug. */
  maskedCount(): number
  /** How many lines were dropped because the reader was too slow. */
  dropped(): number
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Where lines go: one call a line, with its line end. */
export interface Sink {
  write(line: string): void
  /** Starts writing what waits. */
  readonly writeNow?: () => void
  readonly dropped?: () => number
}

/**
 * Creates the log. After the list of fields, a tripwire masks and counts what looks like a card number in the finished line.
 * `now` is unix milliseconds.
 */
export function makeLog(level: LogLevel, sink: Sink, now: () => number): Log {
  let maskedCount = 0
  const isoTime = makeIsoTime(now)
  const write = (lineLevel: LogLevel, event: string, fields: LogFields): void => {
    const { text, found } = scrubLine(writeLine(lineLevel, isoTime(), event, fields))
    sink.write(text)
    if (found === 0) return
    maskedCount += found
    write('error', 'log_tripwire', { count: found, inEvent: event })
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
      sink.writeNow?.()
    },
    maskedCount: () => maskedCount,
    dropped: () => sink.dropped?.() ?? 0,
  })
}

/** One line as pino writes it, level and time first, the event last. */
function writeLine(level: LogLevel, time: string, event: string, fields: LogFields): string {
  const members = formatFields(fields)
  return `{"level":"${level}","time":"${time}",${members}${members === '' ? '' : ','}"event":${JSON.stringify(event)}}\n`
}

/** The time as ISO 8601, UTC, to the millisecond; all but the last digits is formatted once a second. */
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

const ignore = (): void => undefined

/** Writes nothing, for commands that print their own result. */
export const silentLog: Log = Object.freeze({
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  maskedCount: () => 0,
  dropped: () => 0,
})
