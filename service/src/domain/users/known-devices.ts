import { bucketOf } from '@tessera/vault/id'
import type { Keyring } from '@tessera/vault/keyring'
import { hashDeviceSecret } from '@tessera/vault/keyed-hashes'
import { issueToken, parseToken } from '@tessera/vault/token'
import { timingSafeEqual } from 'node:crypto'

import type { Clock } from '../../clock.ts'
import type { DashboardUserRow } from '../../store/dashboard-users.ts'
import { deleteOldKnownDevices, findKnownDevice, insertKnownDevice, knownDevicesTable } from '../../store/known-devices.ts'
import { deleteInPages, type Store } from '../../store/store.ts'

import { makeVerifiedRows, type VerifiedRowDependencies } from '../verified-rows.ts'

export interface KnownDeviceDependencies extends VerifiedRowDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Browsers in which a user has signed in before. A cookie of its own names one; it outlives the session and ends with a new password and with a sign-out
 * everywhere. It replaces neither password nor second factor.
 */
export interface KnownDevices {
  /** The device of a cookie, if it is one of this user's; null otherwise. */
  find(cookie: string | null, user: DashboardUserRow | null): Promise<KnownDevice | null>
  /** The cookie of a device that has become known; null when the one it has is still good for a while, and when the user was changed since `user` was read. */
  remember(user: DashboardUserRow, device: KnownDevice | null): Promise<string | null>
  /** Deletes those that have not been renewed for long. */
  deleteOld(now: number, stopping?: AbortSignal): Promise<number>
}

/** Whether a cookie has the shape of a device's. */
export function isDeviceCookie(cookie: string | null): cookie is string {
  return cookie !== null && /^[0-9a-f]{24}_[0-9A-Za-z]{43}$/.test(cookie)
}

export interface KnownDevice {
  readonly deviceId: string
  readonly createdAt: number
}

export function makeKnownDevices(services: KnownDeviceDependencies): KnownDevices {
  const { store, keyring, clock } = services
  const rows = makeVerifiedRows(services, knownDevicesTable)
  return Object.freeze<KnownDevices>({ find, remember, deleteOld })

  async function find(cookie: string | null, user: DashboardUserRow | null): Promise<KnownDevice | null> {
    const read = isDeviceCookie(cookie) ? parseToken(cookie) : null
    if (read === null || read.secret === null) return null
    // Also for a phone without a login: a cookie of one's own must not show which phones have one.
    const row = await store.read(findKnownDevice(read.cardId))
    if (row === null || !(await rows.isValid(row)) || clock.now() - row.createdAt >= deviceLifetimeMs) return null
    const given = hashDeviceSecret(await keyring.byId(row.pepperKeyId), row.deviceId, read.secret)
    read.secret.fill(0)
    const isSecret = given.length === row.hash.length && timingSafeEqual(given, row.hash)
    return isSecret && row.userId === user?.userId && row.merchantId === user.merchantId ? row : null
  }

  async function remember(user: DashboardUserRow, device: KnownDevice | null): Promise<string | null> {
    const now = clock.now()
    if (device !== null && now - device.createdAt < renewAfterMs) return null
    const { userId, merchantId } = user
    const { cardId: deviceId, token, secret } = issueToken(bucketOf(merchantId), now)
    const dek = await keyring.active('pepper')
    const hash = hashDeviceSecret(dek, deviceId, secret)
    secret.fill(0)
    const row = { deviceId, userId, merchantId, hash, pepperKeyId: dek.keyId, createdAt: now, mac: new Uint8Array(0) }
    const sealed = await rows.seal(row)
    const insert = { device: sealed, user, replaces: device?.deviceId ?? '', maxPerUser: maxDevicesPerUser }
    return (await store.write(insertKnownDevice, insert)) ? token : null
  }

  function deleteOld(now: number, stopping?: AbortSignal): Promise<number> {
    return deleteInPages(store, deleteOldKnownDevices, now - deviceLifetimeMs, stopping)
  }
}

const day = 24 * 3_600_000
/** Half a year without a sign-in. */
export const deviceLifetimeMs = 180 * day
/** A sign-in after it gets a new cookie. */
const renewAfterMs = 30 * day
const maxDevicesPerUser = 10
