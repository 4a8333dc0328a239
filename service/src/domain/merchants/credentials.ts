import type { OperationName } from '@tessera/contract/operations'
import { findMatchingVerifier, hashPassword } from '@tessera/vault/credential'
import type { Keyring } from '@tessera/vault/keyring'

import { whenDone, type Awaitable } from '../../awaitable.ts'
import type { Credential, MerchantRow } from '../../store/merchants.ts'

/** What a password may call. */
export type PasswordScope = Credential['scope']

/** The merchant's active passwords, newest first; at most two of each scope. */
export function activeCredentials({ credentials }: Pick<MerchantRow, 'credentials'>): readonly Credential[] {
  return credentials.filter(({ retiredAt }) => retiredAt === null).slice(0, scopes * maxActiveCredentials)
}

/** Whether a password of this scope may call the method (docs/reference/wire.md#authentication). */
export function isMethodInScope(method: OperationName, scope: PasswordScope): boolean {
  return scope === 'full' || method.startsWith('cards.') || method.startsWith('form.sessions.')
}

/** The stored form of a password. Its number is one above the highest number the merchant has. */
export async function makeCredential(
  keyring: Keyring,
  merchant: Pick<MerchantRow, 'id' | 'credentials'>,
  password: string,
  { now, scope, label = '' }: { readonly now: number; readonly scope: PasswordScope; readonly label?: string },
): Promise<Credential> {
  const dek = await keyring.active('pepper')
  const number = Math.max(0, ...merchant.credentials.map((each) => each.number)) + 1
  return { number, hash: hashPassword(dek, merchant.id, password), pepperKeyId: dek.keyId, createdAt: now, retiredAt: null, scope, label }
}

/** Drops the hash, so that no password can match this credential again. */
export function retiredCredential(credential: Credential, now: number): Credential {
  return { ...credential, hash: new Uint8Array(0), retiredAt: now }
}

/**
 * The active credential that the password matches; null for none. Real and dummy hashes together are always as many, so that the time reveals nothing.
 * The password is hashed once more for each further pepper among the credentials.
 */
export function findMatchingCredential(
  keyring: Keyring,
  merchant: MerchantRow | null,
  id: string,
  password: string,
): Awaitable<Credential | null> {
  const active = merchant === null ? [] : activeCredentials(merchant)
  const [first] = active
  if (first === undefined)
    return whenDone(keyring.active('pepper'), (dek) => {
      findMatchingVerifier(dek, id, password, ...dummies)
      return null
    })
  const findUnder = (pepperKeyId: string): Awaitable<Credential | null> => {
    const verifiers = dummies.map((dummy, at) => (active[at]?.pepperKeyId === pepperKeyId ? active[at].hash : dummy))
    return whenDone(keyring.byId(pepperKeyId), (dek) => active[findMatchingVerifier(dek, id, password, ...verifiers)] ?? null)
  }
  if (active.every(({ pepperKeyId }) => pepperKeyId === first.pepperKeyId)) return findUnder(first.pepperKeyId)
  return findUnderEach([...new Set(active.map(({ pepperKeyId }) => pepperKeyId))], findUnder)
}

async function findUnderEach(
  pepperKeyIds: readonly string[],
  findUnder: (pepperKeyId: string) => Awaitable<Credential | null>,
): Promise<Credential | null> {
  let found: Credential | null = null
  for (const pepperKeyId of pepperKeyIds) found = (await findUnder(pepperKeyId)) ?? found
  return found
}

/** Of each scope, during a rotation: the new password and the previous one. */
export const maxActiveCredentials = 2
const scopes = 2
const dummies: readonly null[] = Array.from({ length: scopes * maxActiveCredentials }, () => null)

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
