import { timingSafeEqual } from 'node:crypto'

import { expectDek, type Dek } from './dek.ts'
import { keyedHash } from './fields.ts'

/** All that is kept of a dashboard session's secret half: 32 bytes under the pepper, fit for this session only. */
export function hashSession(dek: Dek, sessionId: string, secret: Uint8Array): Uint8Array {
  expectDek(dek, 'pepper')
  return keyedHash(dek.key, 'tessera session', [sessionId, secret])
}

/** Whether the secret is this session's, in constant time. */
export function isSession(dek: Dek, sessionId: string, secret: Uint8Array, kept: Uint8Array): boolean {
  const given = hashSession(dek, sessionId, secret)
  return kept.length === given.length && timingSafeEqual(given, kept)
}
