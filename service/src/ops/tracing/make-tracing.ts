import { SpanStatusCode, type Span, type SpanContext } from '@opentelemetry/api'
import { errorEntry, type ErrorName } from '@tessera/contract/errors'

import { makeScopes, TraceScope, type SpanStarter } from './trace-scope.ts'
import { readTraceparent, sampledFlag } from './traceparent.ts'
import type { SpanAttributes, TracedCall, TracedRequest, TracedStep, Tracer } from './tracing.ts'

export interface TraceSampling {
  /** Of this many requests, and runs of jobs, one is traced. */
  readonly every: number
  /** What becomes of the context that a merchant's server sends. */
  readonly parent: 'ignore' | 'join' | 'join_and_sample'
  /** From 0 to 1, without 1. */
  readonly random: () => number
}

/** Traces by a tracer. What is not sampled starts no span; a parent that a request names decides about that only where the settings say so. */
export function makeTracing(
  starter: SpanStarter & { parentOf(remote: SpanContext): Span },
  { every, parent, random }: TraceSampling,
  close: () => Promise<void>,
): Tracer {
  const scopes = makeScopes()
  const drawSampled = (): boolean => every === 1 || random() * every < 1
  return Object.freeze<Tracer>({ request, callCompleted, job, step, close })

  function request<T extends { readonly status: number }>(traced: TracedRequest, handle: () => Promise<T>): Promise<T> {
    const remote = parent === 'ignore' ? null : readTraceparent(traced.traceparent)
    const isAsked = parent === 'join_and_sample' && remote !== null && (remote.traceFlags & sampledFlag) === sampledFlag
    const isSampled = isAsked || drawSampled()
    const scope = new TraceScope(starter, {
      isSampled,
      isJob: false,
      begin: (at) =>
        starter.start(unnamedCall, {
          kind: 'server',
          at,
          attributes: requestAttributes(traced),
          parent: remote === null ? null : starter.parentOf(remote),
        }),
    })
    const pending = scopes.run(scope, handle)
    if (isSampled) {
      void pending.then(
        ({ status }) =>
          scope.close((span) => traced.entryPoint !== 'operator' && setAttributes(span, { 'http.response.status_code': status })),
        () => scope.close(() => undefined),
      )
    }
    return pending
  }

  function callCompleted(call: TracedCall): void {
    scopes.getStore()?.callEnded((span) => {
      span.updateName(call.method ?? unnamedCall)
      setAttributes(span, callAttributes(call))
      if (call.error !== null && ourFaults.has(call.error)) span.setStatus({ code: SpanStatusCode.ERROR })
    })
  }

  async function job(name: string, run: () => Promise<number>): Promise<number> {
    const scope = new TraceScope(starter, {
      isSampled: drawSampled(),
      isJob: true,
      begin: (at) => starter.start(`job ${name}`, { kind: 'internal', at, attributes: { 'tessera.job': name }, parent: null }),
    })
    try {
      const count = await scopes.run(scope, run)
      if (scope.hasSpan || count > 0) scope.callEnded((span) => setAttributes(span, { 'tessera.job.count': count }))
      return count
    } catch (err) {
      scope.callEnded((span) => setFailed(span, err))
      throw err
    } finally {
      scope.close(() => undefined)
    }
  }

  function step<T>({ name, kind, attributes, describe }: TracedStep<T>, run: () => Promise<T>): Promise<T> {
    const scope = scopes.getStore()
    const under = scope === undefined ? (kind === 'outside' && drawSampled() ? null : undefined) : scope.parentFor(kind)
    if (under === undefined) return run()
    const span = starter.start(name, { kind: 'client', at: starter.now(), attributes, parent: under })
    const end = (result: T | null): void => {
      setAttributes(span, describe?.(result) ?? {})
      starter.end(span, starter.now())
    }
    let pending: Promise<T>
    try {
      pending = run()
    } catch (err) {
      setFailed(span, err)
      end(null)
      throw err
    }
    void pending.then(end, (err: unknown) => {
      setFailed(span, err)
      end(null)
    })
    return pending
  }
}

function requestAttributes({ entryPoint, hasMethodPath }: TracedRequest): SpanAttributes {
  const rpc = { 'rpc.system': 'jsonrpc', 'rpc.jsonrpc.version': '2.0' } as const
  if (entryPoint === 'operator') return rpc
  const route = entryPoint === 'dashboard' ? '/dashboard/api' : hasMethodPath ? '/api/{method}' : '/api'
  return { ...rpc, 'http.request.method': 'POST', 'http.route': route }
}

function callAttributes({ requestId, method, merchantId, callerKind, profile, error }: TracedCall): SpanAttributes {
  const entry = error === null ? null : errorEntry(error)
  return {
    'tessera.request_id': requestId,
    'rpc.method': method ?? 'unknown',
    ...(merchantId !== null && { 'tessera.merchant_id': merchantId }),
    ...(callerKind !== null && { 'tessera.caller': callerKind }),
    ...(entry !== null && {
      'rpc.jsonrpc.error_code': profile === 'spec' ? (entry.specCode ?? entry.code) : entry.code,
      'error.type': entry.reason,
    }),
  }
}

/** The class of an error, and never its message: that of an outside system may say anything. */
function setFailed(span: Span, err: unknown): void {
  setAttributes(span, { 'error.type': err instanceof Error ? err.constructor.name : 'unknown' })
  span.setStatus({ code: SpanStatusCode.ERROR })
}

function setAttributes(span: Span, attributes: SpanAttributes): void {
  span.setAttributes({ ...attributes })
}

const unnamedCall = 'unknown'
/** What the caller has done wrong is no error of this server. */
const ourFaults: ReadonlySet<ErrorName> = new Set<ErrorName>([
  'internalError',
  'overloaded',
  'storeFull',
  'storeUnavailable',
  'outcomeUnknown',
])
