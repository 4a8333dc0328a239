import type { ISerializer } from '@opentelemetry/otlp-transformer'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'

import type { Clock } from '../../clock.ts'

/** Sends one message to the receiver of traces. Resolves to the HTTP status; 0 when there was no reply. Never throws. */
export type PostTraces = (body: Uint8Array, signal: AbortSignal) => Promise<number>

export interface SpanExporterOptions {
  readonly serializer: Pick<ISerializer<ReadableSpan[], unknown>, 'serializeRequest'>
  readonly post: PostTraces
  readonly clock: Pick<Clock, 'sleep'>
  /** Called once for every batch. */
  readonly onDone: (spans: number, failure: ExportFailure | null) => void
  /** Aborted when a stop waits no longer. */
  readonly signal: AbortSignal
}

/** Why spans were given up. */
export type ExportFailure = 'unreachable' | `http_${number}` | 'not_serialized'

/**
 * Sends spans by OTLP over HTTP in JSON. A receiver that is away, or has too much to do, is tried again some times; what it refuses for another reason is given
 * up at once. Meanwhile spans wait in the queue before this, which is bounded.
 */
export function makeSpanExporter({ serializer, post, clock, onDone, signal }: SpanExporterOptions): SpanExporter {
  return {
    export(spans, done) {
      void send(spans).then((failure) => {
        onDone(spans.length, failure)
        // The processor has nothing to do about a failure, which is counted here.
        done({ code: 0 })
      })
    },
    shutdown: () => Promise.resolve(),
  }

  async function send(spans: ReadableSpan[]): Promise<ExportFailure | null> {
    const body = serializer.serializeRequest(spans)
    if (body === undefined) return 'not_serialized'
    let status = 0
    for (const pauseMs of [...pausesMs, null]) {
      status = await post(body, signal)
      if (status >= 200 && status <= 299) return null
      if (!mayTryAgain(status) || pauseMs === null || signal.aborted) break
      await clock.sleep(pauseMs, signal).catch(() => undefined)
    }
    return status === 0 ? 'unreachable' : `http_${status}`
  }
}

/** OTLP/HTTP 1.x, "Retryable Response Codes". */
function mayTryAgain(status: number): boolean {
  return status === 0 || status === 429 || status === 502 || status === 503 || status === 504
}

/** With the time limit of each attempt, within what the processor waits for one batch. */
const pausesMs = [1000, 3000, 6000]
