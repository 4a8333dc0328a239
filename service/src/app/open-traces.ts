import { hostname } from 'node:os'
import { randomPublic } from '@tessera/vault/random'

import { AdapterConfigError, readSecretFile } from '../adapters/adapter.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../ops/config/config.ts'
import { ExitError } from '../ops/exits.ts'
import type { Log } from '../ops/logging/log.ts'
import type { Metrics } from '../ops/metrics/metrics.ts'
import type { TracedRequest, Tracer } from '../ops/tracing/tracing.ts'
import type { PostTraces } from '../ops/tracing/span-exporter.ts'
import { tesseraVersion } from '../ops/version.ts'
import type { CallObserver } from '../server/call-observer.ts'
import type { HttpRequest } from '../server/http/request.ts'
import type { RequestHandler } from '../server/pipeline.ts'

import { adapterDependencies } from './adapter-dependencies.ts'

export interface TracesDependencies {
  readonly clock: Clock
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number
  readonly log: Log
  readonly metrics: Pick<Metrics, 'registerGauge'>
}

/** Starts tracing where the settings name a receiver; null otherwise, and then nothing of OpenTelemetry is loaded. Throws `ExitError`. */
export async function openTraces(config: Config, deps: TracesDependencies): Promise<Tracer | null> {
  const { tracesEndpoint, tracesSampleEvery, tracesParent, tracesServiceName, environment } = config
  if (tracesEndpoint === null) return null
  const { clock, now, log, metrics } = deps
  const post = makePost(config, tracesEndpoint, deps)
  const { startOpenTelemetry } = await import('../ops/tracing/open-telemetry.ts')
  let isAway = false
  const { tracing, counts } = startOpenTelemetry({
    resource: {
      'service.name': tracesServiceName,
      'service.version': tesseraVersion,
      // Each worker, and each start.
      'service.instance.id': `${hostname()}-${String(process.pid)}-${Buffer.from(randomPublic(4)).toString('hex')}`,
      'deployment.environment.name': environment,
    },
    sampling: { every: tracesSampleEvery, parent: tracesParent, random: () => Buffer.from(randomPublic(4)).readUInt32BE() / 2 ** 32 },
    post,
    clock,
    now,
    onNotTaken(count, reason) {
      if (!isAway) log.warn('traces_not_taken', { count, reason })
      isAway = true
    },
    onTaken() {
      if (isAway) log.info('traces_taken', {})
      isAway = false
    },
  })
  metrics.registerGauge({
    name: 'tessera_trace_spans_total',
    help: 'Finished spans by what became of them: exported, queue_full (too many were waiting), not_taken (the receiver did not take them).',
    merge: 'sum',
    read: () => {
      const { exported, queueFull, notTaken } = counts()
      return [
        { labels: { outcome: 'exported' }, value: exported },
        { labels: { outcome: 'queue_full' }, value: queueFull },
        { labels: { outcome: 'not_taken' }, value: notTaken },
      ]
    },
  })
  return tracing
}

function makePost(config: Config, endpoint: string, deps: TracesDependencies): PostTraces {
  const headers = { ...readHeader(config.tracesHeaderFile), 'content-type': 'application/json' }
  const { request } = adapterDependencies(config, deps, postTimeoutMs)
  const url = new URL(endpoint)
  return async (body, signal) => {
    const result = await request({ method: 'POST', url, headers, body }, signal)
    return result.outcome === 'responded' ? result.status : 0
  }
}

/** The header that the receiver requires. Throws `ExitError` when its file cannot be used; the message has nothing of its content. */
function readHeader(path: string | null): Readonly<Record<string, string>> {
  if (path === null) return {}
  try {
    const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}): *([\x20-\x7e]{1,4096})$/.exec(readSecretFile(path)) ?? []
    if (name !== '') return { [name.toLowerCase()]: value }
  } catch (err) {
    if (err instanceof AdapterConfigError) throw new ExitError('invalidSettings', `TESSERA_TRACES_HEADER_FILE: ${err.message}`)
    throw err
  }
  throw new ExitError(
    'invalidSettings',
    `TESSERA_TRACES_HEADER_FILE: the line in ${path} is no header: it must be a name, a colon and a value.`,
  )
}

/** The handlers of requests, each request traced. */
export function tracePipelines(pipelines: TracedHandlers, tracing: Tracer | null): TracedHandlers {
  if (tracing === null) return pipelines
  const traced = (entryPoint: TracedRequest['entryPoint'], handle: RequestHandler): RequestHandler => {
    return (request) =>
      tracing.request({ entryPoint, hasMethodPath: request.segment !== null, traceparent: traceparentOf(request) }, async () =>
        handle(request),
      )
  }
  return {
    api: traced('api', pipelines.api),
    dashboard: traced('dashboard', pipelines.dashboard),
    operator: traced('operator', pipelines.operator),
  }
}

type TracedHandlers = Readonly<Record<TracedRequest['entryPoint'], RequestHandler>>

/** Only of a merchant's server: a page in a browser has no trace of the merchant's to join. */
function traceparentOf({ xAuth, isFromBrowser, traceparent }: HttpRequest): string | undefined {
  return xAuth === null || isFromBrowser ? undefined : traceparent
}

/** An observer that also reports each call to its trace. */
export function tracedObserver(observer: CallObserver, tracing: Tracer | null): CallObserver {
  if (tracing === null) return observer
  return Object.freeze<CallObserver>({
    ...observer,
    completed(call) {
      tracing.callCompleted(call)
      observer.completed(call)
    },
  })
}

/** Within what the receiver's network may need; the exporter tries four times. */
const postTimeoutMs = 5000
