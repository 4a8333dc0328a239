import { bytes, rowMac, text, timestamp } from './columns.ts'
import { sql } from './statement.ts'
import { table, type RowOf } from './table.ts'
import { lockUserAtVersion, type UserAtVersion } from './user-lock.ts'
import { type Read, type Transaction, insertRow, run, deletedRowsMax } from './transaction.ts'

// prettier-ignore
export const knownDevicesTable = table('known_devices', {
  deviceId:    text().key(),
  userId:      text(),
  merchantId:  text(),
  hash:        bytes(),       // keyed hash of the secret half of the cookie
  pepperKeyId: text(),
  createdAt:   timestamp(),
  mac:         rowMac(),
})

/** A browser in which a user has signed in. It skips the line of unknown devices, and no password. */
export type KnownDeviceRow = RowOf<typeof knownDevicesTable>

const deleteOldest = sql`
  delete from known_devices where user_id = $1 and device_id not in
    (select device_id from known_devices where user_id = $1 order by created_at desc, device_id limit $2)`

const deleteOne = sql`delete from known_devices where device_id = $1`

export interface InsertKnownDevice {
  readonly device: KnownDeviceRow
  /** Who was authenticated on it. */
  readonly user: UserAtVersion
  /** The device whose cookie this one replaces; empty without one. */
  readonly replaces: string
  /** Of more, the oldest are forgotten. */
  readonly maxPerUser: number
}

/** False, and nothing is stored, when the user was changed after the authentication, for example by a new password, or is blocked. */
export function* insertKnownDevice({ device, user, replaces, maxPerUser }: InsertKnownDevice): Transaction<boolean> {
  if (!(yield* lockUserAtVersion(user))) return false
  yield* run(deleteOne, [replaces])
  yield* insertRow(knownDevicesTable, device)
  yield* run(deleteOldest, [device.userId, maxPerUser])
  return true
}

/** Forgets every device of a user; part of the transactions that end its sessions. */
export function* deleteKnownDevices(userId: string): Transaction<void> {
  yield* run(deleteOfUser, [userId])
}

const deleteOfUser = sql`delete from known_devices where user_id = $1`

const selectRow = sql`select ${knownDevicesTable.columns} from known_devices where device_id = $1`

export function findKnownDevice(deviceId: string): Read<KnownDeviceRow | null> {
  return { statement: selectRow, values: [deviceId], map: ([row]) => (row === undefined ? null : knownDevicesTable.fromRow(row)) }
}

// A number in the text, not a placeholder: with a known page size the planner uses the index.
const deleteOld = sql`
  delete from known_devices where device_id in (select device_id from known_devices where created_at < $1 order by created_at limit ${deletedRowsMax})
  returning device_id`

/** Deletes a page of devices that became known before a time; returns how many. */
export function* deleteOldKnownDevices({ before }: { readonly before: number }): Transaction<number> {
  return (yield* run(deleteOld, [before])).length
}
