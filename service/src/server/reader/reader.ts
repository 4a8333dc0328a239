import { isUtf8 } from 'node:buffer'

import type { CardNumberDetector } from '@tessera/contract/card-number-detector'
import { maxBatchLength, maxBodyBytes } from '@tessera/contract/envelope'
import { RpcError, type ErrorName } from '@tessera/contract/errors'

import { readCall, type ReadCall } from './call-reader.ts'
import { closeArray, end, JsonCursor, openArray } from './json-cursor.ts'
import { skipValue } from './json-skip.ts'

/** A body that was read: one call, a batch of them, or a batch that cannot be one. */
export type ReadBody =
  | { readonly kind: 'call'; readonly call: ReadCall }
  | { readonly kind: 'batch'; readonly calls: readonly ReadCall[] }
  | { readonly kind: 'refused'; readonly entry: ErrorName }

export interface BodyContext {
  /** What follows `/api/` in the URL, as it stands there; null at `/api`, where batches are taken. */
  readonly segment: string | null
  readonly detector: CardNumberDetector
}

/**
 * Reads a JSON-RPC body (docs/reference/wire.md#envelope). The whole text is read before anything is answered; where it is not one JSON text in UTF-8, throws the parse
 * fault, and nothing else of it counts. Takes `bytes` over: they are wiped when this returns, and no JavaScript string is made of them as a whole.
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
  if (bytes.length > maxBodyBytes) throw new Error('the HTTP side lets no longer body in')
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
