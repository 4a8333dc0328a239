import { timingSafeEqual } from 'node:crypto'

import { expectDek, type Dek } from './dek.ts'
import { keyedHash, type MacField } from './fields.ts'

export type { MacField } from './fields.ts'

/**
 * Authenticates what a row decides by, so that nobody who merely writes the database can change it unseen.
 * 48 bytes: key id (16) ‖ HMAC-SHA256 (32) over table, environment, key id and every field with its type and length.
 */
export function makeRowMac(dek: Dek, table: string, environment: string, fields: readonly MacField[]): Uint8Array {
  expectDek(dek, 'row_mac')
  const keyId = Buffer.from(dek.keyId, 'hex')
  const mac = new Uint8Array(macBytes)
  mac.set(keyId)
  mac.set(keyedHash(dek.key, 'tessera row', [table, environment, keyId, ...fields]), keyIdBytes)
  return mac
}

/** Whether `mac` is of this row, in constant time. */
export function isRowMacOf(dek: Dek, mac: Uint8Array, table: string, environment: string, fields: readonly MacField[]): boolean {
  return mac.length === macBytes && timingSafeEqual(mac, makeRowMac(dek, table, environment, fields))
}

/** The key that made a row MAC, 32 hex digits. */
export function macKeyIdOf(mac: Uint8Array): string {
  return Buffer.from(mac.subarray(0, keyIdBytes)).toString('hex')
}

const keyIdBytes = 16
const macBytes = keyIdBytes + 32
