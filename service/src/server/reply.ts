import { writeRequestId, type RequestId } from '@tessera/contract/envelope'
import { renderError, RpcError, type ErrorName } from '@tessera/contract/errors'

import type { HttpReply } from './http/request.ts'

/** A JSON-RPC response that succeeds. */
export function replyWithResult(id: RequestId, result: unknown, requestId: string): HttpReply {
  const text = JSON.stringify(result) as string | undefined
  if (text === undefined) throw new Error('a result is a JSON value')
  return { status: 200, retryAfterSeconds: null, requestId, text: `{"jsonrpc":"2.0","id":${writeRequestId(id)},"result":${text}}` }
}

/**
 * A JSON-RPC response that fails. A failure that is worth a retry is HTTP 503 unless it is part of a batch, so that proxies and plain
 * HTTP clients understand it too.
 */
export function replyWithError(id: RequestId, error: RpcError, { requestId, ...to }: ErrorReader): HttpReply {
  const text = `{"jsonrpc":"2.0","id":${writeRequestId(id)},"error":${JSON.stringify(renderError(error, to))}}`
  if (!isRetryLater(error)) return { status: 200, retryAfterSeconds: null, requestId, text }
  return { status: 503, retryAfterSeconds: retrySeconds(error), requestId, text }
}

/** Who reads the error, and which request it answers. */
type ErrorReader = Parameters<typeof renderError>[1] & { readonly requestId: string }

/**
 * Turns whatever was thrown into an error of the wire. `translate` knows the errors of dependencies (the store's). An error that nobody foresaw is an
 * internal error, and shows nothing but the request id under which the log has its cause.
 */
export function toRpcError(err: unknown, translate: (err: unknown) => RpcError | null, requestId: string): RpcError {
  const known = err instanceof RpcError ? err : (translate(err) ?? new RpcError('internalError', { cause: err ?? 'nothing was thrown' }))
  const { entry, cause } = known
  const data = known.data ?? (isOurs(entry) ? requestId : undefined)
  const retryAfterMs = known.retryAfterMs ?? (isRetryLater(known) ? retryAfterMsDefault : undefined)
  if (data === known.data && retryAfterMs === known.retryAfterMs) return known
  return new RpcError(entry, { ...(data === undefined ? {} : { data }), ...(retryAfterMs === undefined ? {} : { retryAfterMs }), cause })
}

/** Whether the same request may succeed later. */
function isRetryLater({ entry }: RpcError): boolean {
  return laterEntries.has(entry)
}

/** For the Retry-After header (RFC 9110 §10.2.3). */
function retrySeconds({ retryAfterMs = retryAfterMsDefault }: RpcError): number {
  return Math.max(1, Math.ceil(retryAfterMs / 1000))
}

function isOurs(entry: ErrorName): boolean {
  return entry === 'internalError' || entry === 'systemError'
}

const laterEntries: ReadonlySet<ErrorName> = new Set([
  'overloaded',
  'connectionBusy',
  'addressBusy',
  'draining',
  'batchTimeOver',
  'storeFull',
  'storeUnavailable',
  'outcomeUnknown',
])
const retryAfterMsDefault = 1000
