import pino from 'pino'

import type { Sink } from './log.ts'

/** Where the log goes, with an end to what may wait there. */
export interface LogSink extends Sink {
  /** Writes what waits, at once: before the process ends. */
  flush(): void
  readonly dropped: () => number
}

/**
 * Writes lines to a file descriptor without blocking the service. A reader that is too slow loses lines beyond a megabyte, counted; one that
 * has gone away (EPIPE) loses them all, and the service goes on.
 */
export function openLogSink(fd: number): LogSink {
  let dropped = 0
  let gone = false
  const out = pino.destination({ fd, sync: false, minLength: 0, maxLength: WAITING_BYTES_MAX })
  out.on('drop', () => (dropped += 1))
  out.on('error', () => (gone = true))
  return Object.freeze({
    write(line: string) {
      if (gone) dropped += 1
      else out.write(line)
    },
    flush() {
      try {
        if (!gone) out.flushSync()
      } catch {
        gone = true
      }
    },
    dropped: () => dropped,
  })
}

const WAITING_BYTES_MAX = 1024 * 1024
