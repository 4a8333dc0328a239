import type { ErrorName } from '@tessera/contract/errors'
import type { OperationName } from '@tessera/contract/operations'
import type { Profile } from '@tessera/contract/profile'

/** Traces of calls and background jobs. Exists only while traces are sent somewhere: without them nothing is wrapped. */
export interface Tracer {
  /** Handles a request; each of its calls that `callCompleted` reports is a span. */
  request<T extends { readonly status: number }>(request: TracedRequest, handle: () => Promise<T>): Promise<T>
  /** Called within `request`, at the end of each call. */
  callCompleted(call: TracedCall): void
  /** Runs a background job. Its span begins with what it writes or calls: a run that finds nothing to do has none. */
  job(name: string, run: () => Promise<number>): Promise<number>
  /** Runs one step as a span of the call or job that it belongs to. The result and the error are those of `run`. */
  step<T>(step: TracedStep<T>, run: () => Promise<T>): Promise<T>
  /** Sends what is waiting, for a few seconds at most. */
  close(): Promise<void>
}

export interface TracedRequest {
  readonly entryPoint: 'api' | 'dashboard' | 'operator'
  /** Whether the method is in the path. */
  readonly hasMethodPath: boolean
  /** The header of a merchant's server; undefined without one, and for everybody else. Not trusted. */
  readonly traceparent: string | undefined
}

/** A completed call: names and ids of ours, and the number of an error. */
export interface TracedCall {
  readonly requestId: string
  readonly method: OperationName | null
  readonly merchantId: string | null
  readonly callerKind: string | null
  readonly profile: Profile
  readonly error: ErrorName | null
}

export interface TracedStep<T> {
  readonly name: string
  /** `read`: not traced in a job that has done nothing yet. `outside`: traced also where it belongs to no call or job. */
  readonly kind: 'read' | 'write' | 'outside'
  readonly attributes: SpanAttributes
  /** What is known at the end. */
  readonly describe?: (result: T | null) => SpanAttributes
}

/**
 * Every attribute that a span may have. None of them comes from a request or a reply as it is: they are names of this program, ids that the service has
 * issued, and numbers. Card numbers, tokens, phones, names, order texts and messages of errors have no place here.
 */
export interface SpanAttributes {
  readonly 'tessera.request_id'?: string
  readonly 'tessera.merchant_id'?: string
  readonly 'tessera.caller'?: string
  readonly 'rpc.system'?: 'jsonrpc'
  readonly 'rpc.jsonrpc.version'?: '2.0'
  /** Our name of an operation; `unknown` for every other text. */
  readonly 'rpc.method'?: OperationName | 'unknown'
  readonly 'rpc.jsonrpc.error_code'?: number
  readonly 'http.request.method'?: 'POST'
  readonly 'http.route'?: '/api' | '/api/{method}' | '/dashboard/api'
  readonly 'http.response.status_code'?: number
  /** The `reason` of an error of the API, or the class of a thrown error. */
  readonly 'error.type'?: string
  readonly 'db.system.name'?: 'sqlite' | 'postgresql'
  /** The verb and the table of a statement, or the name of a transaction. */
  readonly 'db.query.summary'?: string
  /** Writes of the process that waited for their turn when this one began. */
  readonly 'tessera.store.waiting_writes'?: number
  /** COMMITs of the process while this write waited: 1 is its own, a second one that of the batch before it. */
  readonly 'tessera.store.commits'?: number
  /** The name of an adapter. */
  readonly 'tessera.peer'?: string
  /** A word of ours for what came of a call to an outside system. */
  readonly 'tessera.outcome'?: string
  readonly 'tessera.job'?: string
  readonly 'tessera.job.count'?: number
  /** Steps beyond those that one call or job may have. */
  readonly 'tessera.steps_left_out'?: number
}
