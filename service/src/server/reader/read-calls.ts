import type { CardNumberDetector } from '@tessera/contract/card-number-detector'
import { RpcError, type ErrorName } from '@tessera/contract/errors'
import { isUtf8 } from 'node:buffer'
import { maxBatchLength, maxBodyBytes } from '@tessera/contract/envelope'

import type { HttpRequest } from '../http/request.ts'

import { wipeCall, type ReadCall, readCall } from './call-reader.ts'
import { isEarlier, type RequestFault } from './fault.ts'
import { Members } from './members.ts'
import { closeArray, end, JsonCursor, openArray } from './json-cursor.ts'
import { skipValue } from './json-skip.ts'

/** The calls of a request: one, or a batch. A body that cannot be read is one call without a method. */
export type ReadCalls = { readonly kind: 'call'; readonly call: ReadCall } | { readonly kind: 'batch'; readonly calls: readonly ReadCall[] }

/** Reads the calls of a request. Never throws: an error becomes the fault of a call, so that every outcome is reported in the same way. */
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

/** A body as read: one call, a batch, or an invalid batch. */
export type ReadBody =
  | { readonly kind: 'call'; readonly call: ReadCall }
  | { readonly kind: 'batch'; readonly calls: readonly ReadCall[] }
  | { readonly kind: 'refused'; readonly entry: ErrorName }

export interface BodyContext {
  /** The path after `/api/`; null at `/api`, where batches are accepted. */
  readonly segment: string | null
  readonly detector: CardNumberDetector
}

/**
 * Reads a JSON-RPC body (docs/reference/wire.md#envelope). The whole text is read before any call is handled: if it is not one JSON text in UTF-8, the
 * parse error is thrown and nothing else of it counts. Takes ownership of `bytes` and wipes them; no JavaScript string of the whole text is made.
 */
export function readBody(bytes: Buffer, place: BodyContext): ReadBody {
  const extracted: Uint8Array[] = []
  try {
    const read = readText(bytes, place, extracted)
    if (read.kind === 'refused') wipeAll(extracted)
    return read
  } catch (err) {
    wipeAll(extracted)
    throw err
  } finally {
    bytes.fill(0)
  }
}

function readText(bytes: Buffer, place: BodyContext, lifted: Uint8Array[]): ReadBody {
  if (bytes.length > maxBodyBytes) throw new Error('the HTTP server accepts no longer body')
  if (bytes.length === 0) throw new RpcError('emptyBody')
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) throw new RpcError('byteOrderMark')
  if (!isUtf8(bytes)) throw new RpcError('invalidUtf8')
  const cursor = new JsonCursor(bytes)
  const first = cursor.peek()
  if (first === end) throw new RpcError('emptyBody')
  const read: ReadBody =
    first === openArray ? readBatch(cursor, place, lifted) : { kind: 'call', call: readCall(cursor, place.detector, place.segment, lifted) }
  if (cursor.peek() !== end) throw new RpcError('invalidJson')
  return read
}

function readBatch(cursor: JsonCursor, { segment, detector }: BodyContext, lifted: Uint8Array[]): ReadBody {
  if (segment !== null) {
    skipValue(cursor)
    return { kind: 'refused', entry: 'batchNotHere' }
  }
  cursor.at++
  if (cursor.isEmpty(closeArray)) return { kind: 'refused', entry: 'batchEmpty' }
  const calls: ReadCall[] = []
  let length = 0
  do {
    length++
    if (length > maxBatchLength) skipValue(cursor)
    else calls.push(readCall(cursor, detector, null, lifted))
  } while (cursor.hasMore(closeArray))
  return length > maxBatchLength ? { kind: 'refused', entry: 'batchTooLong' } : { kind: 'batch', calls }
}

function wipeAll(lifted: readonly Uint8Array[]): void {
  for (const bytes of lifted) bytes.fill(0)
}
