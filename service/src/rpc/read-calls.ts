import { RpcError, type ErrorName } from '@tessera/contract/errors'

import type { ReadCall } from './call-reader.ts'
import { isEarlier, type Fault } from './fault.ts'
import { Members } from './members.ts'
import type { PanScan } from './pan-scan.ts'
import { readBody } from './reader.ts'
import type { HttpRequest } from './request.ts'

/** What a request asks: one call, or several that are answered as an array. What cannot be read is one call that nobody named. */
export type ReadCalls = { readonly kind: 'call'; readonly call: ReadCall } | { readonly kind: 'batch'; readonly calls: readonly ReadCall[] }

/** Reads all that a request asks. Never throws: what is wrong is the fault of a call, so every outcome takes the one way out. */
export function readCalls(request: HttpRequest, scan: PanScan): ReadCalls {
  if (request.refusal !== null) {
    request.body.fill(0)
    return refused({ entry: request.refusal })
  }
  try {
    const read = readBody(request.body, { segment: request.segment, scan })
    if (read.kind === 'call') return { kind: 'call', call: withQuery(read.call, request) }
    if (request.hasQuery) return refusedBatch(read.kind === 'batch' ? read.calls : [], 'queryNotAllowed')
    if (read.kind === 'refused') return refused({ entry: read.entry })
    return request.idempotencyKey !== null ? refusedBatch(read.calls, 'idempotencyInBatch') : read
  } catch (err) {
    return refused(err instanceof RpcError ? { entry: err.entry } : { entry: 'internalError', cause: err })
  }
}

function withQuery(call: ReadCall, { hasQuery }: HttpRequest): ReadCall {
  if (!hasQuery || !isEarlier('queryNotAllowed', call.requestFault)) return call
  return { ...call, requestFault: { entry: 'queryNotAllowed' } }
}

function refusedBatch(calls: readonly ReadCall[], entry: ErrorName): ReadCalls {
  for (const call of calls) call.cardNumber?.fill(0)
  return refused({ entry })
}

function refused(requestFault: Fault): ReadCalls {
  return { kind: 'call', call: { id: null, method: null, params: new Members(), cardNumber: null, requestFault, paramsFault: null } }
}
