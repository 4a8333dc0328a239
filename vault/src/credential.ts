import { timingSafeEqual } from 'node:crypto'

import { expectDek, type Dek } from './dek.ts'
import { keyedHash } from './fields.ts'
import { drawSecret } from './random.ts'

/** A merchant's API password: 36 of 70 symbols, 220 bits. Shown once, kept as a keyed hash. */
export function issuePassword(): string {
  let password = ''
  while (password.length < passwordLength) {
    // Bytes beyond the last whole multiple would favour the first symbols.
    for (const byte of drawSecret(passwordLength)) if (byte < fairBytes) password += symbols.charAt(byte % symbols.length)
  }
  return password.slice(0, passwordLength)
}

/**
 * All that is kept of a password: 32 bytes, fit for this merchant only. A fast hash is right for 220 random bits under a key
 * that the database does not hold (ASVS 5.0 V6.5.2); it would be wrong for a password that a person chose.
 */
export function hashPassword(dek: Dek, merchantId: string, password: Uint8Array | string): Uint8Array {
  expectDek(dek, 'pepper')
  return keyedHash(dek.key, 'tessera password', [merchantId, typeof password === 'string' ? Buffer.from(password) : password])
}

/**
 * Whether the password is this merchant's, by any of the verifiers that are kept, in constant time: it is hashed once and compared with each.
 * Where there is no verifier, give null: as much work, and no password fits.
 */
export function samePassword(
  dek: Dek,
  merchantId: string,
  password: Uint8Array | string,
  ...kept: readonly (Uint8Array | null)[]
): boolean {
  const given = hashPassword(dek, merchantId, password)
  let isSame = false
  for (const each of kept) isSame = timingSafeEqual(given, each?.length === given.length ? each : noVerifier) || isSame
  return isSame
}

/** No colon, which ends the merchant id in X-Auth; no comma, which joins header lines (RFC 9110 §5.3). */
const symbols = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz&@?#%$-_'
const passwordLength = 36
const fairBytes = 256 - (256 % symbols.length)
/** No password hashes to 32 zeros. */
const noVerifier = new Uint8Array(32)
