import { issueRecoveryCode, readRecoveryCode } from '@tessera/vault/credential'
import { hashRecoveryCode } from '@tessera/vault/keyed-hashes'
import { timingSafeEqual } from 'node:crypto'

import { type DashboardRecoveryCodeRow, listRecoveryCodes, markRecoveryCodeUsed } from '../../store/dashboard-recovery-codes.ts'
import type { DashboardUserRow } from '../../store/dashboard-users.ts'

import { retryOnConflict } from '../concurrency.ts'
import type { AuditActor } from '../request-context.ts'
import { keepValid } from '../verified-rows.ts'

import { sessionAuditEntry, type DashboardServices, type DashboardUserKey } from './dependencies.ts'

/** New recovery codes, shown once, and the rows in which they are stored. */
export interface NewRecoveryCodes {
  readonly codes: readonly string[]
  readonly rows: readonly DashboardRecoveryCodeRow[]
}

export async function makeRecoveryCodes(services: DashboardServices, { userId, merchantId }: DashboardUserKey): Promise<NewRecoveryCodes> {
  const { keyring, clock, recoveryCodes } = services
  const dek = await keyring.active('pepper')
  const codes = Array.from({ length: recoveryCodeCount }, issueRecoveryCode)
  const rows = await Promise.all(
    codes.map(async (code, at) => {
      const hash = hashRecoveryCode(dek, userId, readRecoveryCode(code) ?? '')
      const ids = { userId, number: at + 1, merchantId, hash, pepperKeyId: dek.keyId }
      return recoveryCodes.seal({ ...ids, createdAt: clock.now(), usedAt: 0, mac: new Uint8Array(0) })
    }),
  )
  return { codes, rows }
}

/** The user's codes that were not used yet. */
export async function listUnusedRecoveryCodes(services: DashboardServices, { userId, merchantId }: DashboardUserKey) {
  const rows = await keepValid(services.recoveryCodes, await services.store.read(listRecoveryCodes(userId)))
  return rows.filter((row) => row.usedAt === 0 && row.merchantId === merchantId)
}

/** Uses a recovery code up; false when it is not one of the user's, or was used before. The caller counts the attempt. */
export async function redeemRecoveryCode(
  services: DashboardServices,
  user: DashboardUserRow,
  code: string,
  actor: AuditActor,
): Promise<boolean> {
  const given = readRecoveryCode(code)
  if (given === null) return false
  const { store, clock, keyring, recoveryCodes } = services
  return retryOnConflict(async () => {
    for (const row of await listUnusedRecoveryCodes(services, user)) {
      const hash = hashRecoveryCode(await keyring.byId(row.pepperKeyId), user.userId, given)
      if (hash.length !== row.hash.length || !timingSafeEqual(hash, row.hash)) continue
      const at = clock.now()
      const used = await recoveryCodes.seal({ ...row, usedAt: at })
      const audit = sessionAuditEntry(user, actor, { at, action: 'dashboard_user.recovery_code_used', outcome: 'done' })
      return (await store.write(markRecoveryCodeUsed, { code: used, previousMac: row.mac, audit })) ? true : null
    }
    return false
  })
}

export const recoveryCodeCount = 10
