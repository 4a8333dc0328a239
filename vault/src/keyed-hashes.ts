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

/** The stored form of a known device's secret half: 32 bytes under the pepper, valid for this device only. */
export function hashDeviceSecret(dek: Dek, deviceId: string, secret: Uint8Array): Uint8Array {
  expectDek(dek, 'pepper')
  return keyedHash(dek.key, 'tessera known device', [deviceId, secret])
}

/** `decoy`: counts nothing, and takes as long. */
export type SignInSubjectKind = 'phone' | 'device' | 'decoy' | 'locked'

/** What failed sign-ins are counted under: 32 bytes that represent a phone, a known device, or the addresses that try a locked phone. */
export function hashSignInSubject(dek: Dek, kind: SignInSubjectKind, id: string): Uint8Array {
  expectDek(dek, 'pepper')
  return keyedHash(dek.key, 'tessera sign-in subject', [kind, id])
}

/** The MAC of a challenge of the proof of work: 32 bytes under the pepper, valid for this login and this block of addresses. */
export function hashChallenge(dek: Dek, head: Uint8Array, subject: ChallengeSubject): Uint8Array {
  expectDek(dek, 'pepper')
  return keyedHash(dek.key, 'tessera sign-in challenge', [subject.environment, head, subject.login, subject.block])
}

/** Who has to answer a challenge. */
export interface ChallengeSubject {
  readonly environment: string
  readonly login: string
  readonly block: string
}

/** The stored form of a recovery code: 32 bytes under the pepper, valid for this user only. A fast hash is right for 51 random bits under a key. */
export function hashRecoveryCode(dek: Dek, userId: string, code: string): Uint8Array {
  expectDek(dek, 'pepper')
  return keyedHash(dek.key, 'tessera recovery code', [userId, code])
}

/** What makes a challenge of a passkey ours: 32 bytes over its purpose, its session or user, and when it was issued. */
export function signPasskeyChallenge(dek: Dek, purpose: string, subject: string, unsigned: Uint8Array): Uint8Array {
  expectDek(dek, 'pepper')
  return keyedHash(dek.key, 'tessera passkey challenge', [purpose, subject, unsigned])
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

/**
 * What wrong codes in a row are counted under: 32 bytes that represent a card number, a phone or a merchant's customer until the daily key is destroyed.
 * `scope`: the merchant whose own count it is; '' for one count over all merchants.
 */
export function hashStopSubject(dek: Dek, kind: 'card' | 'phone' | 'customer', scope: string, value: Pan | Uint8Array): Uint8Array {
  expectDek(dek, 'limits')
  return keyedHash(dek.key, 'tessera stop subject', [kind, scope, value instanceof Pan ? value.reveal() : value])
}

/**
 * What the messages to a phone are found under: 32 bytes that represent it until the key is destroyed. A key of its own, because it is used longer than the
 * daily keys, and opens nothing else.
 */
export function hashPhone(dek: Dek, phone: Uint8Array): Uint8Array {
  expectDek(dek, 'phone')
  return keyedHash(dek.key, 'tessera phone', [phone])
}
