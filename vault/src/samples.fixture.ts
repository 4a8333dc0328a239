import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'

import fc from 'fast-check'

import { Pan } from '@tessera/contract/card'

import type { Dek, KeyPurpose } from './dek.ts'
import { KekError, type Kek } from './kek.ts'
import type { KeyState, KeyStore, WrappedKey } from './keyring.ts'
import type { CardOwner } from './seal.ts'

// What the tests of the vault work on.

export const merchantA = '65f0c0ffee0000000000cafe'
export const merchantB = '65f0c0ffee0000000000beef'

/** A public test card. */
export function samplePan(): Pan {
  return Pan.over(Uint8Array.from(Buffer.from('8600069195406311')))
}

export function sampleDek(purpose: KeyPurpose, owner = ''): Dek {
  const keyId = randomBytes(16).toString('hex')
  return Object.freeze({ keyId, purpose, owner, epoch: 1, createdAt: 0, key: createSecretKey(randomBytes(32)) })
}

export function sampleOwner(changed: Partial<CardOwner> = {}): CardOwner {
  return { environment: 'test', merchantId: merchantA, cardId: randomBytes(12).toString('hex'), ...changed }
}

/** Digits of every length that a card number can have; the check digit is none of the vault's business. */
export const anyDigits: fc.Arbitrary<string> = fc
  .array(fc.integer({ min: 0, max: 9 }), { minLength: 12, maxLength: 19 })
  .map((digits) => digits.join(''))

export function panOf(digits: string): Pan {
  return Pan.over(Uint8Array.from(Buffer.from(digits)))
}

export function digitsOf(pan: Pan): string {
  return Buffer.from(pan.reveal()).toString('latin1')
}

/** A KEK in memory that does what a good KEK does. */
export function sampleKek(id = 'sample-kek'): Kek {
  const key = createSecretKey(randomBytes(32))
  return {
    id,
    kind: 'development-file',
    async wrap(plain, associated) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associated)
      return Uint8Array.from(Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]))
    },
    failure: () => null,
    close: () => undefined,
    async unwrap(wrapped, associated) {
      const decipher = createDecipheriv('aes-256-gcm', key, wrapped.subarray(0, 12), { authTagLength: 16 }).setAAD(associated)
      decipher.setAuthTag(wrapped.subarray(wrapped.length - 16))
      const plain = decipher.update(wrapped.subarray(12, wrapped.length - 16))
      try {
        decipher.final()
        return plain
      } catch (cause) {
        throw new KekError('the sample KEK does not open this', { cause })
      }
    },
  }
}

/** A key store in memory; several keyrings may share it, as several processes share a database. */
export interface MemoryKeys extends KeyStore {
  readonly rows: WrappedKey[]
  /** How often it was listed. */
  lists: number
}

export function memoryKeys(): MemoryKeys {
  const rows: WrappedKey[] = []
  return {
    rows,
    lists: 0,
    async list() {
      this.lists++
      return rows.map((row) => ({ ...row }))
    },
    async insert(key) {
      if (rows.some((row) => row.purpose === key.purpose && row.owner === key.owner && row.epoch === key.epoch)) return false
      rows.push(key)
      return true
    },
    async setState(keyId: string, state: KeyState) {
      const at = rows.findIndex((row) => row.keyId === keyId)
      const row = rows[at]
      if (row !== undefined) rows[at] = { ...row, state, wrapped: state === 'destroyed' ? new Uint8Array() : row.wrapped }
    },
    async replaceWrapped(before, { kekId, wrapped }) {
      const at = rows.findIndex(({ keyId }) => keyId === before.keyId)
      const row = rows[at]
      if (row === undefined || row.state === 'destroyed' || Buffer.compare(row.wrapped, before.wrapped) !== 0) return false
      rows[at] = { ...row, kekId, wrapped }
      return true
    },
    async close() {},
  }
}
