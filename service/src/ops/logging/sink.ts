import pino from 'pino'

import type { Sink } from './log.ts'

/** Where the log goes, with a bound on what may wait there. */
export interface LogSink extends Sink {
  /** Writes what waits synchronously, before the process ends. */
  flush(): void
  /** Starts writing what waits: an error should not wait for more lines. */
  writeNow(): void
  readonly dropped: () => number
}

/**
 * Writes lines to a file descriptor without blocking the service. Lines of twenty milliseconds go out together: each write is a round trip
 * through the thread pool. A reader that is too slow loses lines beyond a megabyte, counted; one that has gone away (EPIPE) loses them all,
 * and the service continues.
 */
export function openLogSink(fd: number): LogSink {
  let dropped = 0
  let gone = false
  const out = pino.destination({ fd, sync: false, minLength: 0, maxLength: WAITING_BYTES_MAX })
  out.on('drop', (lines: string) => (dropped += countLines(lines)))
  out.on('error', () => (gone = true))

  const lines = gatherLines((text) => {
    if (gone) dropped += countLines(text)
    else out.write(text)
  })
  return Object.freeze({
    ...lines,
    flush() {
      lines.writeNow()
      try {
        if (!gone) out.flushSync()
      } catch {
        gone = true
      }
    },
    dropped: () => dropped,
  })
}

/** Passes lines on together, those of twenty milliseconds, or earlier when they are many. */
export function gatherLines(pass: (lines: string) => void): Pick<LogSink, 'write' | 'writeNow'> {
  let gathered = ''
  let timer: NodeJS.Timeout | null = null
  return Object.freeze({
    write(line: string) {
      gathered += line
      if (gathered.length >= GATHERED_MAX) writeNow()
      else timer ??= setTimeout(writeNow, GATHER_MS)
    },
    writeNow,
  })

  function writeNow(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const lines = gathered
    gathered = ''
    if (lines !== '') pass(lines)
  }
}

function countLines(text: string): number {
  return text.split('\n').length - 1
}

const WAITING_BYTES_MAX = 1024 * 1024
const GATHERED_MAX = 16 * 1024
const GATHER_MS = 20
