import { ROOT_CONTEXT, SpanKind, trace, type Span, type SpanContext } from '@opentelemetry/api'
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'

import type { Clock } from '../../clock.ts'

import { BoundedSpans, type SpanCounts } from './bounded-spans.ts'
import { makeTracing, type TraceSampling } from './make-tracing.ts'
import { makeSpanExporter, type ExportFailure, type PostTraces } from './span-exporter.ts'
import type { SpanStart, SpanStarter } from './trace-scope.ts'
import type { Tracer } from './tracing.ts'

// Loaded only where traces are on: the packages of OpenTelemetry take 70 ms of a start and some 20 MB (decision 129).

export interface OpenTelemetryOptions {
  readonly resource: {
    readonly 'service.name': string
    readonly 'service.version': string
    readonly 'service.instance.id': string
    readonly 'deployment.environment.name': string
  }
  readonly sampling: TraceSampling
  readonly post: PostTraces
  readonly clock: Clock
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number
  /** Called with the number of spans that the receiver did not take. */
  readonly onNotTaken: (spans: number, failure: ExportFailure) => void
  /** Called when the receiver takes them. */
  readonly onTaken: () => void
}

export interface OpenTelemetry {
  readonly tracing: Tracer
  readonly counts: () => SpanCounts
}

/** Traces by the SDK of OpenTelemetry, with nothing of it global and nothing read from the environment. */
export function startOpenTelemetry({ resource, sampling, post, clock, now, onNotTaken, onTaken }: OpenTelemetryOptions): OpenTelemetry {
  const givenUp = new AbortController()
  const exporter = makeSpanExporter({
    serializer: JsonTraceSerializer,
    post,
    clock,
    signal: givenUp.signal,
    onDone(spans, failure) {
      bounded.recordOutcome(spans, failure === null)
      if (failure === null) onTaken()
      else onNotTaken(spans, failure)
    },
  })
  const bounded = new BoundedSpans(
    new BatchSpanProcessor({
      exporter,
      maxQueueSize: waitingSpansMax,
      maxExportBatchSize: batchSpansMax,
      scheduledDelayMillis: delayMs,
      exportTimeoutMillis: batchTimeoutMs,
    }),
    waitingSpansMax,
  )
  const provider = new TracerProvider({
    resource: resourceFromAttributes(resource),
    // What is not sampled is not even begun (make-tracing.ts).
    sampler: new AlwaysOnSampler(),
    spanProcessors: [bounded],
    spanLimits: { attributeValueLengthLimit: attributeLengthMax, attributeCountLimit: 32, eventCountLimit: 0, linkCountLimit: 0 },
  })
  const tracer = provider.getTracer('tessera', resource['service.version'])
  const toEpochMs = makeEpochMs(clock, now)
  const starter: SpanStarter & { parentOf(remote: SpanContext): Span } = {
    now,
    start: (name, { kind, at, attributes, parent }) =>
      tracer.startSpan(
        name,
        { kind: kinds[kind], startTime: toEpochMs(at), attributes: { ...attributes } },
        parent === null ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent),
      ),
    end: (span, at) => span.end(toEpochMs(at)),
    parentOf: (remote) => trace.wrapSpanContext(remote),
  }
  return {
    tracing: makeTracing(starter, sampling, () => close(provider, givenUp, clock)),
    counts: () => bounded.counts,
  }
}

/** A receiver that is away holds up no stop: what it has not taken in this time is given up. */
async function close(provider: TracerProvider, givenUp: AbortController, clock: Pick<Clock, 'sleep'>): Promise<void> {
  const ended = new AbortController()
  void clock.sleep(flushMs, ended.signal).then(
    () => givenUp.abort(),
    () => undefined,
  )
  await provider.shutdown().catch(() => undefined)
  ended.abort()
}

/** Unix milliseconds of a time of the clock that does not jump. Read again each minute, since the clock of the machine is corrected now and then. */
function makeEpochMs(clock: Pick<Clock, 'now'>, now: () => number): (at: number) => number {
  let readAt = -Infinity
  let offset = 0
  return (at) => {
    const reading = now()
    if (reading - readAt > 60_000) {
      readAt = reading
      offset = clock.now() - reading
    }
    return offset + at
  }
}

const kinds: Readonly<Record<SpanStart['kind'], SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
}
/** Of this worker; some megabytes. */
const waitingSpansMax = 4096
/** A message of some 100 kB, which takes the event loop a few milliseconds. */
const batchSpansMax = 256
const delayMs = 2000
/** Longer than the exporter takes with all its attempts. */
const batchTimeoutMs = 60_000
const attributeLengthMax = 128
const flushMs = 3000
