import type { CardNumberDetector } from '@tessera/contract/card-number-detector'
import { RpcError, type ErrorName } from '@tessera/contract/errors'

import { wipeCall, type ReadCall } from './call-reader.ts'
import { isEarlier, type RequestFault } from './fault.ts'
import { Members } from './members.ts'
import { readBody } from './reader.ts'
import type { HttpRequest } from '../http/request.ts'

/** The calls of a request: one, or several that are answered as an array. What cannot be read is one call without a method. */
export type ReadCalls = { readonly kind: 'call'; readonly call: ReadCall } | { readonly kind: 'batch'; readonly calls: readonly ReadCall[] }

/** Reads the calls of a request. Never throws: what is wrong is the fault of a call, so every outcome is reported the same way. */
export function readCalls(request: HttpRequest, detector: CardNumberDetector): ReadCalls {
  if (request.refusal !== null) {
    request.body.fill(0)
    return refusedCall({ entry: request.refusal })
  }
  try {
    const read = readBody(request.body, { segment: request.segment, detector })
    if (read.kind === 'call') return { kind: 'call', call: withQuery(read.call, request) }
    if (request.hasQuery) return refusedBatch(read.kind === 'batch' ? read.calls : [], 'queryNotAllowed')
    if (read.kind === 'refused') return refusedCall({ entry: read.entry })
    return request.idempotencyKey !== null ? refusedBatch(read.calls, 'idempotencyInBatch') : read
  } catch (err) {
    return refusedCall(err instanceof RpcError ? { entry: err.entry } : { entry: 'internalError', cause: err })
  }
}

function withQuery(call: ReadCall, { hasQuery }: HttpRequest): ReadCall {
  if (!hasQuery || !isEarlier('queryNotAllowed', call.requestFault)) return call
  return { ...call, requestFault: { entry: 'queryNotAllowed' } }
}

function refusedBatch(calls: readonly ReadCall[], entry: ErrorName): ReadCalls {
  calls.forEach(wipeCall)
  return refusedCall({ entry })
}

function refusedCall(requestFault: RequestFault): ReadCalls {
  return {
    kind: 'call',
    call: { id: null, method: null, params: new Members(), cardNumber: null, withheld: [], requestFault, paramsFault: null },
  }
}
