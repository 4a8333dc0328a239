import type { KeyObject } from 'node:crypto'

/** The purpose of a data key; every other use rejects it. */
export type KeyPurpose =
  'card' | 'otp' | 'limits' | 'phone' | 'row_mac' | 'pepper' | 'idempotency' | 'webhook' | 'dashboard' | 'audit' | 'audit_signing'

/** An unwrapped data key: 256 bits that leave their KeyObject for `prepareHmacKey` only. */
export interface Dek {
  /** 16 random bytes, as 32 hex digits. */
  readonly keyId: string
  readonly purpose: KeyPurpose
  /** Merchant id for purpose `card`, else ''. */
  readonly owner: string
  /** From 1, counted within purpose and owner. */
  readonly epoch: number
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly key: KeyObject
}

/** A data key was used for another purpose: a fault of this service, never of a caller. */
export class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError'
}

export function isDekOf(dek: Dek, purpose: KeyPurpose, owner = ''): boolean {
  return dek.purpose === purpose && dek.owner === owner
}

/** Asserts the purpose and owner of a key. Throws `WrongKeyError`. */
export function expectDek(dek: Dek, purpose: KeyPurpose, owner = ''): void {
  if (!isDekOf(dek, purpose, owner))
    throw new WrongKeyError(`key ${dek.keyId} is not for ${purpose} of ${owner === '' ? 'the service' : owner}`)
}

/** Counts one encryption under a key, so that the keyring can end the key's epoch in time (NIST SP 800-38D §8.3). */
export function countSeal(dek: Dek): void {
  seals.set(dek, sealsUnder(dek) + 1)
}

/** Encryptions under this key since this process opened it. */
export function sealsUnder(dek: Dek): number {
  return seals.get(dek) ?? 0
}

const seals = new WeakMap<Dek, number>()
