import { hashPassword, samePassword } from '@tessera/vault/credential'
import type { Keyring } from '@tessera/vault/keyring'

import type { Credential, MerchantRow } from '../store/store.ts'

/** The passwords that a merchant may use now, newest first; at most two. */
export function liveOf({ credentials }: Pick<MerchantRow, 'credentials'>): readonly Credential[] {
  return credentials.filter(({ retiredAt }) => retiredAt === null).slice(0, liveMax)
}

/** A password as it is kept: its number is one more than that of any the merchant had. */
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

/** Without its hash: nothing fits it any more, whatever becomes of the row. */
export function retired(credential: Credential, now: number): Credential {
  return { ...credential, hash: new Uint8Array(0), retiredAt: now }
}

/**
 * Whether the password is one of the live ones. Always two verifiers, real ones or none at all, so that time tells nothing; a second hash
 * only where the two were made under different peppers.
 */
export async function isLivePassword(keyring: Keyring, merchant: MerchantRow | null, id: string, password: string): Promise<boolean> {
  const [first, second] = merchant === null ? [] : liveOf(merchant)
  const dek = first === undefined ? await keyring.active('pepper') : await keyring.byId(first.pepperKeyId)
  if (second === undefined || second.pepperKeyId === first?.pepperKeyId)
    return samePassword(dek, id, password, first?.hash ?? null, second?.hash ?? null)
  const isFirst = samePassword(dek, id, password, first?.hash ?? null, null)
  return samePassword(await keyring.byId(second.pepperKeyId), id, password, second.hash, null) || isFirst
}

/** Which of the live passwords a right one is; for what is told of its use, after it has been let in. */
export async function whichOf(keyring: Keyring, merchant: MerchantRow, password: string): Promise<Credential | null> {
  for (const each of liveOf(merchant)) {
    if (samePassword(await keyring.byId(each.pepperKeyId), merchant.id, password, each.hash)) return each
  }
  return null
}

/** During a rotation the new one and the one before. */
export const liveMax = 2
