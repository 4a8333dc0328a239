import { timingSafeEqual } from 'node:crypto'

import { expectDek, type Dek } from './dek.ts'
import { keyedHash } from './fields.ts'
import { randomSecret } from './random.ts'

/** A merchant's API password: 36 of 70 symbols, 220 bits. Shown once and stored as a keyed hash. */
export function issuePassword(): string {
  let password = ''
  while (password.length < passwordLength) {
    // Bytes beyond the last whole multiple would favour the first symbols.
    for (const byte of randomSecret(passwordLength)) if (byte < fairBytes) password += symbols.charAt(byte % symbols.length)
  }
  return password.slice(0, passwordLength)
}

/**
 * The stored form of a password: 32 bytes, valid for this merchant only. A fast hash is right for 220 random bits under a key
 * that is not in the database (ASVS 5.0 V6.5.2); it would be wrong for a password that a person chose.
 */
export function hashPassword(dek: Dek, merchantId: string, password: Uint8Array | string): Uint8Array {
  expectDek(dek, 'pepper')
  return keyedHash(dek.key, 'tessera password', [merchantId, typeof password === 'string' ? Buffer.from(password) : password])
}

/**
 * The index of the stored verifier that the password matches, -1 for none, in constant time: it is hashed once and compared with each.
 * Pass null where there is no verifier: the work is the same, and no password matches.
 */
export function findMatchingVerifier(
  dek: Dek,
  merchantId: string,
  password: Uint8Array | string,
  ...stored: readonly (Uint8Array | null)[]
): number {
  const given = hashPassword(dek, merchantId, password)
  let found = -1
  for (const [at, each] of stored.entries()) {
    const isSame = timingSafeEqual(given, each?.length === given.length ? each : noVerifier)
    if (isSame) found = at
  }
  return found
}

/** No colon, which ends the merchant id in X-Auth; no comma, which joins header lines (RFC 9110 §5.3). */
const symbols = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz&@?#%$-_'
const passwordLength = 36
const fairBytes = 256 - (256 % symbols.length)
/** No password hashes to 32 zeros. */
const noVerifier = new Uint8Array(32)
