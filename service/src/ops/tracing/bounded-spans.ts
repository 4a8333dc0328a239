import type { ReadableSpan, Span, SpanProcessor } from '@opentelemetry/sdk-trace'

/** What became of finished spans. */
export interface SpanCounts {
  readonly exported: number
  /** Not sent, because too many were waiting. */
  readonly queueFull: number
  /** Given up, because the receiver did not take them. */
  readonly notTaken: number
}

/**
 * The spans that are finished and not sent yet, at most `waitingMax` of them: a receiver that is away takes no memory without end, and no call waits for it.
 * One more is dropped and counted.
 */
export class BoundedSpans implements SpanProcessor {
  readonly #next: SpanProcessor
  readonly #waitingMax: number
  #waiting = 0
  #exported = 0
  #queueFull = 0
  #notTaken = 0

  constructor(next: SpanProcessor, waitingMax: number) {
    this.#next = next
    this.#waitingMax = waitingMax
  }

  get counts(): SpanCounts {
    return { exported: this.#exported, queueFull: this.#queueFull, notTaken: this.#notTaken }
  }

  onStart(span: Span, context: Parameters<SpanProcessor['onStart']>[1]): void {
    this.#next.onStart(span, context)
  }

  onEnd(span: ReadableSpan): void {
    if (this.#waiting >= this.#waitingMax) {
      this.#queueFull++
      return
    }
    this.#waiting++
    this.#next.onEnd(span)
  }

  /** Called when spans are sent, or given up. */
  recordOutcome(spans: number, isExported: boolean): void {
    this.#waiting -= spans
    if (isExported) this.#exported += spans
    else this.#notTaken += spans
  }

  forceFlush(): Promise<void> {
    return this.#next.forceFlush()
  }

  shutdown(): Promise<void> {
    return this.#next.shutdown()
  }
}
