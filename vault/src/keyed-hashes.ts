import { timingSafeEqual } from 'node:crypto'

import { Pan } from '@tessera/contract/card'

import { expectDek, type Dek } from './dek.ts'
import { keyedHash } from './fields.ts'

/** An SMS code and what it is valid for. */
export interface OtpClaim {
  readonly attemptId: string
  readonly cardId: string
  readonly merchantId: string
  readonly code: string
}

/** The stored form of an SMS code: 32 bytes that match this code, attempt, card and merchant, under the daily key. */
export function hashOtp(dek: Dek, { attemptId, cardId, merchantId, code }: OtpClaim): Uint8Array {
  expectDek(dek, 'otp')
  return keyedHash(dek.key, 'tessera otp', [attemptId, cardId, merchantId, code])
}

/** The stored form of a dashboard session's secret half: 32 bytes under the pepper, valid for this session only. */
export function hashSessionSecret(dek: Dek, sessionId: string, secret: Uint8Array): Uint8Array {
  expectDek(dek, 'pepper')
  return keyedHash(dek.key, 'tessera session', [sessionId, secret])
}

/** Whether the secret belongs to this session, in constant time. */
export function isSessionSecret(dek: Dek, sessionId: string, secret: Uint8Array, stored: Uint8Array): boolean {
  const given = hashSessionSecret(dek, sessionId, secret)
  return stored.length === given.length && timingSafeEqual(given, stored)
}

/**
 * The key of a limit by issuer identification number (ISO/IEC 7812): the first six or eight digits under the daily key, never in clear. Eight digits
 * leave 10^8 candidates, so this is for counting in memory and is not stored.
 */
export function hashLimitIin(dek: Dek, digits: 6 | 8, pan: Pan): Uint8Array {
  expectDek(dek, 'limits')
  return keyedHash(dek.key, 'tessera limit iin', [String(digits), pan.reveal().subarray(0, digits)])
}

/** The key of a limit: 32 bytes that represent a PAN or phone until the daily key is destroyed (PCI DSS 3.5.1.1). */
export function hashLimitSubject(dek: Dek, scope: 'pan' | 'phone', value: Pan | Uint8Array): Uint8Array {
  expectDek(dek, 'limits')
  return keyedHash(dek.key, 'tessera limit subject', [scope, value instanceof Pan ? value.reveal() : value])
}
