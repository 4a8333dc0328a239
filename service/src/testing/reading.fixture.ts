import { cardNumberDetector } from '@tessera/contract/card-number-detector'
import { RpcError } from '@tessera/contract/errors'

import type { ReadCall } from '../server/reader/call-reader.ts'
import { Members, type JsonValue } from '../server/reader/members.ts'
import { readBody, type ReadBody } from '../server/reader/read-calls.ts'

/** Reads a body as at `/api`, or as at `/api/<segment>`. */
export function read(text: string | Uint8Array, segment: string | null = null): ReadBody {
  return readBody(Buffer.from(text as string), { segment, detector: cardNumberDetector })
}

/** Reads a body that is one call. */
export function readOne(text: string | Uint8Array, segment: string | null = null): ReadCall {
  const body = read(text, segment)
  if (body.kind !== 'call') throw new Error(`${body.kind}, not one call`)
  return body.call
}

/** The name of the parse error of a body; null if it is a JSON text. */
export function parseFault(text: string | Uint8Array): string | null {
  try {
    read(text)
    return null
  } catch (err) {
    if (err instanceof RpcError) return err.entry
    throw err
  }
}

/** The value of `params.v` as plain objects, for a JSON text of the value. */
export function readParamValue(text: string | Uint8Array): { value: unknown; call: ReadCall } {
  const call = readOne(Buffer.concat([Buffer.from('{"method":"m","params":{"v":'), Buffer.from(text as string), Buffer.from('}}')]))
  return { value: plain(call.params.v ?? null), call }
}

export function plain(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!(value instanceof Members)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]))
}
