import { hashPassword, isPasswordValid } from '@tessera/vault/credential'
import type { Keyring } from '@tessera/vault/keyring'

import type { Credential, MerchantRow } from '../../store/merchants.ts'

/** The merchant's active passwords, newest first; at most two. */
export function activeCredentials({ credentials }: Pick<MerchantRow, 'credentials'>): readonly Credential[] {
  return credentials.filter(({ retiredAt }) => retiredAt === null).slice(0, maxActiveCredentials)
}

/** The stored form of a password. Its number is one above the highest number the merchant has. */
export async function makeCredential(
  keyring: Keyring,
  merchant: Pick<MerchantRow, 'id' | 'credentials'>,
  password: string,
  now: number,
): Promise<Credential> {
  const dek = await keyring.active('pepper')
  const number = Math.max(0, ...merchant.credentials.map((each) => each.number)) + 1
  return { number, hash: hashPassword(dek, merchant.id, password), pepperKeyId: dek.keyId, createdAt: now, retiredAt: null }
}

/** Drops the hash, so that no password can match this credential again. */
export function retiredCredential(credential: Credential, now: number): Credential {
  return { ...credential, hash: new Uint8Array(0), retiredAt: now }
}

/**
 * Whether the password matches an active credential. It always compares with two hashes, real or dummy, so that the time reveals nothing.
 * The password is hashed a second time only when the two credentials use different peppers.
 */
export async function matchesActivePassword(
  keyring: Keyring,
  merchant: MerchantRow | null,
  id: string,
  password: string,
): Promise<boolean> {
  const [first, second] = merchant === null ? [] : activeCredentials(merchant)
  const dek = first === undefined ? await keyring.active('pepper') : await keyring.byId(first.pepperKeyId)
  if (second === undefined || second.pepperKeyId === first?.pepperKeyId)
    return isPasswordValid(dek, id, password, first?.hash ?? null, second?.hash ?? null)
  const isFirst = isPasswordValid(dek, id, password, first?.hash ?? null, null)
  return isPasswordValid(await keyring.byId(second.pepperKeyId), id, password, second.hash, null) || isFirst
}

/** Finds which active credential a valid password matches. Used for usage records, after authentication. */
export async function findMatchingCredential(keyring: Keyring, merchant: MerchantRow, password: string): Promise<Credential | null> {
  for (const each of activeCredentials(merchant)) {
    if (isPasswordValid(await keyring.byId(each.pepperKeyId), merchant.id, password, each.hash)) return each
  }
  return null
}

/** During a rotation: the new password and the previous one. */
export const maxActiveCredentials = 2

export interface XAuth {
  /** As sent; not validated here. */
  readonly id: string
  /** Everything after the first colon; null when there is none. */
  readonly password: string | null
}

/** Parses `<merchant id>` or `<merchant id>:<password>`, ignoring surrounding whitespace; null for an empty or oversized header. */
export function readXAuth(header: string | null): XAuth | null {
  if (header === null || header.length > maxHeaderLength) return null
  const text = header.trim()
  if (text === '') return null
  const colon = text.indexOf(':')
  return colon < 0 ? { id: text, password: null } : { id: text.slice(0, colon).trim(), password: text.slice(colon + 1) }
}

/** An id, a colon and an issued password take 61 characters. */
const maxHeaderLength = 256
