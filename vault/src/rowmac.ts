import { timingSafeEqual } from 'node:crypto'

import { expectDek, type Dek } from './dek.ts'
import { keyedHash, type MacField } from './fields.ts'
import { KeyDestroyedError, UnknownKeyError, type Keyring } from './keyring.ts'

export type { MacField } from './fields.ts'

/**
 * Authenticates the content of a row, so that write access to the database alone cannot change it unnoticed.
 * 48 bytes: key id (16) ‖ HMAC-SHA256 (32) over table, environment, key id and every field with its type and length.
 */
export function makeRowMac(dek: Dek, table: string, environment: string, fields: readonly MacField[]): Uint8Array {
  const mac = new Uint8Array(macBytes)
  mac.set(Buffer.from(dek.keyId, 'hex'))
  mac.set(hashRow(dek, mac.subarray(0, keyIdBytes), table, environment, fields), keyIdBytes)
  return mac
}

function hashRow(dek: Dek, keyId: Uint8Array, table: string, environment: string, fields: readonly MacField[]): Uint8Array {
  expectDek(dek, 'row_mac')
  return keyedHash(dek.key, 'tessera row', [table, environment, keyId, ...fields])
}

/** Whether `mac` is valid for this row, in constant time. */
export function isRowMacValid(dek: Dek, mac: Uint8Array, table: string, environment: string, fields: readonly MacField[]): boolean {
  if (mac.length !== macBytes || macKeyIdOf(mac) !== dek.keyId) return false
  return timingSafeEqual(mac.subarray(keyIdBytes), hashRow(dek, mac.subarray(0, keyIdBytes), table, environment, fields))
}

/** Creates and checks the MACs of one table's rows. */
export interface RowAuthenticator<Row> {
  /** The same row with its MAC. Synchronous when the key is loaded. */
  seal(row: Row): Promise<Row> | Row
  /** Loads the key and returns a synchronous `seal`, for a request that makes its row later. */
  loadSealer(): Promise<(row: Row) => Row>
  /** Synchronous when the key is loaded, so that a call costs no more than the hash. */
  hasValidMac(row: Row): Promise<boolean> | boolean
}

/** A table whose rows bear a MAC. Its name and the covered fields in their order are part of every MAC. */
export interface AuthenticatedTable<Row> {
  readonly name: string
  readonly macFields: (row: Row) => readonly MacField[]
}

/**
 * Makes and checks the MACs of a table's rows:
 *
 *     const cardMac = makeRowAuthenticator(keyring, environment, cardsTable)
 */
export function makeRowAuthenticator<Row extends { readonly mac: Uint8Array }>(
  keyring: Pick<Keyring, 'active' | 'byId'>,
  environment: string,
  { name: table, macFields }: AuthenticatedTable<Row>,
): RowAuthenticator<Row> {
  const isMadeBy = (dek: Dek, row: Row): boolean =>
    dek.purpose === 'row_mac' && isRowMacValid(dek, row.mac, table, environment, macFields(row))
  const sealUnder = (dek: Dek, row: Row): Row => ({ ...row, mac: makeRowMac(dek, table, environment, macFields(row)) })
  return Object.freeze({
    seal(row: Row) {
      const dek = keyring.active('row_mac')
      return dek instanceof Promise ? dek.then((key) => sealUnder(key, row)) : sealUnder(dek, row)
    },
    async loadSealer() {
      const dek = await keyring.active('row_mac')
      return (row: Row) => sealUnder(dek, row)
    },
    hasValidMac(row: Row) {
      const dek = keyring.byId(macKeyIdOf(row.mac))
      return dek instanceof Promise ? dek.then((key) => isMadeBy(key, row), isNoKey) : isMadeBy(dek, row)
    },
  })
}

/** A MAC under a key that does not exist is invalid. */
function isNoKey(err: unknown): false {
  if (err instanceof UnknownKeyError || err instanceof KeyDestroyedError) return false
  throw err
}

/** The key that made a row MAC, 32 hex digits. */
export function macKeyIdOf(mac: Uint8Array): string {
  // Nearly every row of a store has the key of the one before it.
  if (!startsWithLast(mac)) {
    lastKeyId = Uint8Array.from(mac.subarray(0, keyIdBytes))
    lastKeyIdText = Buffer.from(lastKeyId).toString('hex')
  }
  return lastKeyIdText
}

function startsWithLast(mac: Uint8Array): boolean {
  if (mac.length < keyIdBytes || lastKeyId.length !== keyIdBytes) return false
  for (let i = 0; i < keyIdBytes; i++) if (mac[i] !== lastKeyId[i]) return false
  return true
}

let lastKeyId = new Uint8Array(0)
let lastKeyIdText = ''

const keyIdBytes = 16
const macBytes = keyIdBytes + 32
