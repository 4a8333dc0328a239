import { writeRequestId, type RequestId } from '@tessera/contract/envelope'
import { renderError, retryableErrors, RpcError, type ErrorName } from '@tessera/contract/errors'

import { staticResultOf } from '../operations/static-result.ts'

import type { HttpReply } from './http/request.ts'
import { plainPieces, type BodyPart } from './http/shared-body.ts'

/** A JSON-RPC response with a result. */
export function replyWithResult(id: RequestId, result: unknown, requestId: string): HttpReply {
  const before = `{"jsonrpc":"2.0","id":${writeRequestId(id)},"result":`
  const encoded = staticResultOf(result)
  if (encoded !== null) return replyWithParts([before, encoded, '}'], requestId)
  const text = JSON.stringify(result) as string | undefined
  if (text === undefined) throw new Error('a result is a JSON value')
  return { status: 200, retryAfterSeconds: null, requestId, text: `${before}${text}}` }
}

/** A reply of which parts may be shared; `text` is made only for those who need it. */
export function replyWithParts(parts: readonly BodyPart[], requestId: string): HttpReply {
  return {
    status: 200,
    retryAfterSeconds: null,
    requestId,
    parts,
    get text() {
      return Buffer.concat(plainPieces(parts)).toString()
    },
  }
}

/**
 * A JSON-RPC response with an error. A retryable error is HTTP 503, except in a batch, so that proxies and plain HTTP clients understand it too.
 */
export function replyWithError(id: RequestId, error: RpcError, { requestId, ...to }: ErrorReplyContext): HttpReply {
  const text = `{"jsonrpc":"2.0","id":${writeRequestId(id)},"error":${JSON.stringify(renderError(error, to))}}`
  if (!isRetryable(error)) return { status: 200, retryAfterSeconds: null, requestId, text }
  return { status: 503, retryAfterSeconds: retrySeconds(error), requestId, text }
}

/** Profile and language of the caller, and the id of the request. */
type ErrorReplyContext = Parameters<typeof renderError>[1] & { readonly requestId: string }

/**
 * Converts anything thrown to an API error. `translate` converts errors of dependencies such as the store. An unexpected error becomes an internal
 * error that reveals only the request id; the log has its cause under this id.
 */
export function toRpcError(err: unknown, translate: (err: unknown) => RpcError | null, requestId: string): RpcError {
  const known = err instanceof RpcError ? err : (translate(err) ?? new RpcError('internalError', { cause: err ?? 'nothing was thrown' }))
  const { entry, cause } = known
  const data = known.data ?? (isServiceFault(entry) ? requestId : undefined)
  const retryAfterMs = known.retryAfterMs ?? (isRetryable(known) ? retryAfterMsDefault : undefined)
  if (data === known.data && retryAfterMs === known.retryAfterMs) return known
  return new RpcError(entry, { ...(data === undefined ? {} : { data }), ...(retryAfterMs === undefined ? {} : { retryAfterMs }), cause })
}

/** Whether the same request may succeed later. */
function isRetryable({ entry }: RpcError): boolean {
  return retryableEntries.has(entry)
}

/** For the Retry-After header (RFC 9110 §10.2.3). */
function retrySeconds({ retryAfterMs = retryAfterMsDefault }: RpcError): number {
  return Math.max(1, Math.ceil(retryAfterMs / 1000))
}

function isServiceFault(entry: ErrorName): boolean {
  return entry === 'internalError' || entry === 'systemError'
}

const retryableEntries: ReadonlySet<ErrorName> = new Set(retryableErrors)
const retryAfterMsDefault = 1000
