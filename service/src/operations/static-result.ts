import { constants, deflateRawSync } from 'node:zlib'

/** A result that never changes, as bytes that all its replies share: none of them is written or compressed again, and unread ones take no memory. */
export interface StaticResult {
  /** The JSON of the result. */
  readonly json: Buffer
  /** The same as DEFLATE blocks (RFC 1951) that end at a byte and are followed by others. */
  readonly deflated: Buffer
}

/** Encodes a result that never changes. The object itself is returned by its operation, so tests and other callers see a result like any other. */
export function makeStaticResult<T extends object>(result: T): T {
  const json = Buffer.from(JSON.stringify(result))
  const deflated = deflateRawSync(json, { level: 9, finishFlush: constants.Z_SYNC_FLUSH })
  encoded.set(result, { json, deflated })
  return result
}

/** The bytes of a result made by `makeStaticResult`; null for any other. */
export function staticResultOf(result: unknown): StaticResult | null {
  return typeof result === 'object' && result !== null ? (encoded.get(result) ?? null) : null
}

const encoded = new WeakMap<object, StaticResult>()
