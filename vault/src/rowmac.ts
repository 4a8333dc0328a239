import { timingSafeEqual } from 'node:crypto'

import { expectDek, type Dek } from './dek.ts'
import { keyedHash, type MacField } from './fields.ts'
import { KeyDestroyed, KeyUnknown, type Keyring } from './keyring.ts'

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

/** Makes and checks the MACs of one table's rows. */
export interface RowMacs<Row> {
  /** The same row with its MAC. */
  seal(row: Row): Promise<Row>
  /** At once where its key is at hand, so that a call pays for no more than the hash. */
  isTrue(row: Row): Promise<boolean> | boolean
}

export interface MacParts<Row> {
  readonly table: string
  readonly environment: string
  /** Everything that decides, in a fixed order. A new column goes to the end, and old rows get their MAC anew. */
  readonly fieldsOf: (row: Row) => readonly MacField[]
}

export function makeRowMacs<Row extends { readonly mac: Uint8Array }>(
  keyring: Keyring,
  { table, environment, fieldsOf }: MacParts<Row>,
): RowMacs<Row> {
  const isMadeBy = (dek: Dek, row: Row): boolean => dek.purpose === 'row_mac' && isRowMacOf(dek, row.mac, table, environment, fieldsOf(row))
  return Object.freeze({
    async seal(row: Row) {
      return { ...row, mac: makeRowMac(await keyring.active('row_mac'), table, environment, fieldsOf(row)) }
    },
    isTrue(row: Row) {
      const dek = keyring.byId(macKeyIdOf(row.mac))
      return dek instanceof Promise ? dek.then((key) => isMadeBy(key, row), isNoKey) : isMadeBy(dek, row)
    },
  })
}

/** A MAC under a key that is not there is no MAC. */
function isNoKey(err: unknown): false {
  if (err instanceof KeyUnknown || err instanceof KeyDestroyed) return false
  throw err
}

/** The key that made a row MAC, 32 hex digits. */
export function macKeyIdOf(mac: Uint8Array): string {
  return Buffer.from(mac.subarray(0, keyIdBytes)).toString('hex')
}

const keyIdBytes = 16
const macBytes = keyIdBytes + 32
