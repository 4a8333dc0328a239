import type { WalkProgress } from '../../store/walk.ts'

/** Shows on standard error how far a command is. */
export interface ProgressPrinter {
  show(progress: WalkProgress): void
  /** Removes the line from a terminal, before the result is printed. */
  end(): void
}

export interface ProgressOutput {
  readonly write: (text: string) => void
  readonly isTerminal: boolean
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

/** On a terminal one line that is replaced; elsewhere a line every ten seconds, so that short commands print none. */
export function makeProgressPrinter({ write, isTerminal, now }: ProgressOutput): ProgressPrinter {
  let printedAt = now()
  let isShown = false
  return Object.freeze({
    show(progress: WalkProgress) {
      if (isTerminal) write(`${isShown ? clearLine : ''}${formatProgress(progress)}`)
      else if (now() - printedAt >= everyMs) {
        printedAt = now()
        write(`${formatProgress(progress)}\n`)
      }
      isShown = true
    },
    end() {
      if (isTerminal && isShown) write(clearLine)
      isShown = false
    },
  })
}

/** `audit entries: 412,000 of 1,000,000 (41 %), 28,400/s, 21 s left`. */
export function formatProgress({ stage, done, total, seconds }: WalkProgress): string {
  if (total === null) return `${stage}: ${Math.round(seconds)} s`
  const counted = `${stage}: ${formatCount(done)} of ${formatCount(total)}`
  if (total === 0) return counted
  const percent = `(${Math.min(100, Math.floor((100 * done) / total))} %)`
  if (done === 0 || seconds <= 0) return `${counted} ${percent}`
  const rate = done / seconds
  return `${counted} ${percent}, ${formatCount(Math.round(rate))}/s, ${formatTime(Math.max(0, total - done) / rate)} left`
}

function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

function formatTime(seconds: number): string {
  return seconds < 100 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
}

/** Carriage return, and erase to the end of the line (ECMA-48 EL). */
const clearLine = '\r\u001b[K'
const everyMs = 10_000
