import { createHmac } from 'node:crypto'

import { countSeal, expectDek, isDekOf, type Dek } from './dek.ts'
import { keyedHash } from './fields.ts'
import { keyIdIn, openLayer, sealLayer, SealBrokenError, type Layer } from './layer.ts'

/** The user of a second factor: the secret opens for this user only. */
export interface TotpOwner {
  readonly environment: string
  readonly merchantId: string
  readonly userId: string
}

/** A secret that somebody is about to enable. */
export interface TotpOffer extends TotpOwner {
  readonly sessionId: string
  /** Of the user's row: another one after every change of the user, so that a secret which was enabled or turned off never comes again. */
  readonly version: number
}

/**
 * The secret that a session is offered to enable, 160 bits (RFC 4226 §4), derived under the pepper (§7.5) and stored nowhere: any process confirms it. The
 * caller wipes it.
 */
export function deriveTotpSecret(dek: Dek, { environment, merchantId, userId, sessionId, version }: TotpOffer): Uint8Array {
  expectDek(dek, 'pepper')
  const derived = keyedHash(dek.key, 'tessera totp secret', [environment, merchantId, userId, sessionId, version])
  const secret = Uint8Array.from(derived.subarray(0, secretBytes))
  derived.fill(0)
  return secret
}

/** Seals a secret under a data key of purpose `dashboard`. */
export function sealTotpSecret(secret: Uint8Array, dek: Dek, owner: TotpOwner): Uint8Array {
  expectDek(dek, 'dashboard')
  countSeal(dek)
  return sealLayer(layerOf(dek, owner), secret)
}

/** Opens what `sealTotpSecret` sealed; the caller wipes it. Throws `SealBrokenError`, whatever is wrong. */
export function openTotpSecret(sealed: Uint8Array, dek: Dek, owner: TotpOwner): Uint8Array {
  if (!isDekOf(dek, 'dashboard')) throw new SealBrokenError()
  return openLayer(layerOf(dek, owner), sealed)
}

/** The data key of a sealed secret, 32 hex digits; null for a foreign blob. */
export function keyIdOfTotpSecret(sealed: Uint8Array): string | null {
  const keyId = keyIdIn(sealed)
  return keyId === null ? null : Buffer.from(keyId).toString('hex')
}

/** The 30-second step of a time in unix milliseconds. */
export function totpStepAt(now: number): number {
  return Math.floor(now / stepMs)
}

/** The six digits of a step (RFC 6238 with HMAC-SHA-1, which authenticators use). */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const at = (mac[19] ?? 0) & 0xf
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** The secret as authenticators read it (RFC 4648 §6, without padding: 160 bits need none). */
export function encodeBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet.charAt(Number.parseInt(five, 2))).join('')
}

function layerOf(dek: Dek, { environment, merchantId, userId }: TotpOwner): Layer {
  return { key: dek.key, keyId: Buffer.from(dek.keyId, 'hex'), bound: [environment, merchantId, userId, 'totp secret'] }
}

/** Of RFC 4226 §4. */
const secretBytes = 20
const stepMs = 30_000
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
