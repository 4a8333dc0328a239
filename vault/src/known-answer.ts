import { timingSafeEqual } from 'node:crypto'

import type { Dek } from './dek.ts'
import { keyedHash } from './fields.ts'

/**
 * What a data key answers: HMAC-SHA256 under it over its own description, 32 bytes. It is stored beside what the key protects and reveals nothing of it,
 * so that another key store, or one without this key, is noticed before anything is asked of it.
 */
export function makeKnownAnswer(dek: Dek, environment: string): Uint8Array {
  return keyedHash(dek.key, 'tessera known answer', [environment, dek.purpose, dek.owner, dek.keyId, dek.epoch])
}

/** Whether this is the answer of this key, in constant time. */
export function isKnownAnswer(dek: Dek, environment: string, answer: Uint8Array): boolean {
  const expected = makeKnownAnswer(dek, environment)
  return answer.length === expected.length && timingSafeEqual(answer, expected)
}
