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

/** A recovery code: three groups of four letters, 51 bits. No digits, so that none looks like a card number; no vowels, so that none is a word. */
export function issueRecoveryCode(): string {
  const letters: string[] = []
  while (letters.length < recoveryLetters) {
    for (const byte of randomSecret(recoveryLetters))
      if (byte < fairRecoveryBytes) letters.push(recoverySymbols.charAt(byte % recoverySymbols.length))
  }
  return [0, 4, 8].map((from) => letters.slice(from, from + 4).join('')).join('-')
}

/** A recovery code as it is hashed: a person may leave the hyphens out or type capital letters. Null for anything else. */
export function readRecoveryCode(text: string): string | null {
  const letters = text.toLowerCase().replace(/[\s-]/g, '')
  return isRecoveryCode.test(letters) ? letters : null
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
  for (let at = 0; at < stored.length; at++) {
    const each = stored[at]
    const isSame = timingSafeEqual(given, each?.length === given.length ? each : noVerifier)
    if (isSame) found = at
  }
  return found
}

/** No colon, which ends the merchant id in X-Auth; no comma, which joins header lines (RFC 9110 §5.3). */
const symbols = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz&@?#%$-_'
const passwordLength = 36
const fairBytes = 256 - (256 % symbols.length)
const recoverySymbols = 'bcdfghjkmnpqrstvwxz'
const isRecoveryCode = /^[bcdfghjkmnpqrstvwxz]{12}$/
const recoveryLetters = 12
const fairRecoveryBytes = 256 - (256 % recoverySymbols.length)
/** No password hashes to 32 zeros. */
const noVerifier = new Uint8Array(32)
