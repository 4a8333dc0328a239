import { issuePassword } from '@tessera/vault/credential'
import { SettingProblem } from '@tessera/contract/setting-problems'
import { bucketOf, issueRandomId } from '@tessera/vault/id'
import type { Keyring } from '@tessera/vault/keyring'
import type { VerifiedRows } from '../verified-rows.ts'

import type { Clock } from '../../clock.ts'
import {
  type CredentialUse,
  findMerchant,
  insertMerchant,
  listCredentialUses,
  type ListedMerchantRow,
  listMerchants,
  type MerchantChange,
  type MerchantRow,
  updateMerchant,
} from '../../store/merchants.ts'
import { findMerchantLogo } from '../../store/merchant-logos.ts'
import type { Store } from '../../store/store.ts'
import { retryOnConflict } from '../concurrency.ts'
import type { AuditActor } from '../request-context.ts'
import type { AuditEntry } from '../../store/audit.ts'

import { merchantAuditChanges } from './audit-changes.ts'
import { toMerchant, type Merchant, type MerchantCache } from './merchant-cache.ts'
import { maxActiveCredentials, activeCredentials, makeCredential, retiredCredential, type PasswordScope } from './credentials.ts'
import { hashLogo, type Logo } from './logo.ts'
import { noSettings, writeSettings } from './settings.ts'
import { applyMerchantPatch, type MerchantPatch } from './merchant-patch.ts'

/** Merchant management by operators. A refused operation returns a `SettingProblem`. Every change is audited with what changed from what to what. */
export interface MerchantAdministration {
  /** The password is returned here and cannot be read again. */
  create(patch: MerchantPatch, by: AuditActor): Promise<{ readonly merchant: Merchant; readonly password: string } | SettingProblem>
  isKnown(merchantId: string): Promise<boolean>
  find(merchantId: string): Promise<MerchantDetails | SettingProblem>
  /** The logo that a merchant's settings name; null for another image than theirs, and when there is none. */
  findLogo(merchantId: string): Promise<Logo | null>
  /** Ordered by id, starting after `after`. */
  list(after: string, count: number): Promise<MerchantListItem[]>
  change(merchantId: string, patch: MerchantPatch, by: AuditActor): Promise<Merchant | SettingProblem>
  /** A blocked merchant cannot call. Operations in progress are completed, and its events are still delivered. */
  block(merchantId: string, by: AuditActor): Promise<Merchant | SettingProblem>
  unblock(merchantId: string, by: AuditActor): Promise<Merchant | SettingProblem>
  /** Adds a password; refused while two of its scope are active. */
  rotatePassword(
    merchantId: string,
    wanted: WantedPassword,
    by: AuditActor,
  ): Promise<{ readonly merchant: Merchant; readonly password: string } | SettingProblem>
  /** Changes what a password is called. */
  renamePassword(
    merchantId: string,
    renamed: { readonly number: number; readonly label: string },
    by: AuditActor,
  ): Promise<Merchant | SettingProblem>
  /** Retires an active password: the oldest of scope `full`, unless `number` names one. The last one of that scope cannot be retired. */
  retirePassword(merchantId: string, number: number | null, by: AuditActor): Promise<Merchant | SettingProblem>
}

export interface WantedPassword {
  readonly scope: PasswordScope
  readonly label?: string | undefined
}

export interface MerchantDetails extends Merchant {
  readonly uses: readonly CredentialUse[]
}

export interface MerchantListItem {
  readonly row: ListedMerchantRow
  /** False: the row was written by someone without our keys. */
  readonly hasValidMac: boolean
}

export interface MerchantAdministrationDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly rows: Pick<VerifiedRows<MerchantRow>, 'seal' | 'hasValidMac'>
  readonly cache: MerchantCache
}

type Change = Partial<Pick<MerchantRow, 'state' | 'name' | 'organization' | 'address' | 'settings' | 'credentials'>>

export function makeMerchantAdministration({
  store,
  keyring,
  clock,
  rows,
  cache,
}: MerchantAdministrationDependencies): MerchantAdministration {
  return Object.freeze({
    create,
    isKnown,
    find,
    findLogo,
    list,
    change: changeBy,
    block,
    unblock,
    rotatePassword,
    renamePassword,
    retirePassword,
  })

  async function create(patch: MerchantPatch, by: AuditActor): ReturnType<MerchantAdministration['create']> {
    const { name, organization = '', address = '' } = patch
    if (name === undefined) return new SettingProblem('name_missing')
    const settings = applyMerchantPatch(noSettings, patch)
    if (settings instanceof SettingProblem) return settings
    const now = clock.now()
    const id = issueRandomId(12)
    const password = issuePassword()
    const credentials = [await makeCredential(keyring, { id, credentials: [] }, password, { now, scope: 'full' })]
    const base = { id, bucket: bucketOf(id), version: 1, state: 'active', createdAt: now, mac: new Uint8Array(0) } as const
    const row = await rows.seal({ ...base, name, organization, address, settings: writeSettings(settings), credentials })
    const audit = merchantAuditEntry(row, { ...actionEntry('merchant.created', 'created', by), changes: merchantAuditChanges(null, row) })
    const logo = logoRow(id, patch)
    if (!(await store.write(insertMerchant, { merchant: row, audit, ...logo }))) return new SettingProblem('merchant_id_taken')
    return { merchant: toMerchant(row), password }
  }

  async function isKnown(merchantId: string): Promise<boolean> {
    return (await store.read(findMerchant(merchantId))) !== null
  }

  async function find(merchantId: string): Promise<MerchantDetails | SettingProblem> {
    const merchant = await cache.read(merchantId)
    return merchant === null
      ? new SettingProblem('merchant_unknown')
      : { ...merchant, uses: await store.read(listCredentialUses(merchantId)) }
  }

  async function findLogo(merchantId: string): Promise<Logo | null> {
    const named = (await cache.find(merchantId))?.settings.logo ?? ''
    const stored = named === '' ? null : await store.read(findMerchantLogo(merchantId))
    const png = Buffer.from(stored?.png ?? [])
    return named !== '' && hashLogo(png) === named ? { png, sha256: named } : null
  }

  async function list(after: string, count: number): Promise<MerchantListItem[]> {
    const found = await store.read(listMerchants(after, count))
    return Promise.all(found.map(async (row) => ({ row, hasValidMac: 'brokenAt' in row ? false : await rows.hasValidMac(row) })))
  }

  function changeBy(merchantId: string, patch: MerchantPatch, by: AuditActor): Promise<Merchant | SettingProblem> {
    return change(
      { merchantId, action: 'merchant.changed', by },
      ({ row, settings }) => {
        const merged = applyMerchantPatch(settings, patch)
        if (merged instanceof SettingProblem) return merged
        const { name = row.name, organization = row.organization, address = row.address } = patch
        return { name, organization, address, settings: writeSettings(merged) }
      },
      logoRow(merchantId, patch),
    )
  }

  function logoRow(merchantId: string, { logo }: MerchantPatch): Pick<MerchantChange, 'logo'> {
    if (logo === undefined) return {}
    return { logo: logo === null ? null : { merchantId, png: new Uint8Array(logo.png), storedAt: clock.now() } }
  }

  function block(merchantId: string, by: AuditActor): Promise<Merchant | SettingProblem> {
    return change({ merchantId, action: 'merchant.blocked', by }, ({ row }) =>
      row.state === 'blocked' ? new SettingProblem('merchant_blocked') : { state: 'blocked' },
    )
  }

  function unblock(merchantId: string, by: AuditActor): Promise<Merchant | SettingProblem> {
    return change({ merchantId, action: 'merchant.unblocked', by }, ({ row }) =>
      row.state === 'active' ? new SettingProblem('merchant_not_blocked') : { state: 'active' },
    )
  }

  async function rotatePassword(
    merchantId: string,
    { scope, label = '' }: WantedPassword,
    by: AuditActor,
  ): ReturnType<MerchantAdministration['rotatePassword']> {
    const password = issuePassword()
    const merchant = await change({ merchantId, action: 'merchant.password_rotated', by }, async ({ row }) => {
      const active = activeCredentials(row).filter((each) => each.scope === scope)
      if (active.length >= maxActiveCredentials) return new SettingProblem('two_active_passwords')
      const fresh = await makeCredential(keyring, row, password, { now: clock.now(), scope, label })
      return { credentials: [fresh, ...row.credentials].filter(({ retiredAt }, at) => retiredAt === null || at < maxStoredCredentials) }
    })
    return merchant instanceof SettingProblem ? merchant : { merchant, password }
  }

  function renamePassword(
    merchantId: string,
    { number, label }: { readonly number: number; readonly label: string },
    by: AuditActor,
  ): Promise<Merchant | SettingProblem> {
    return change({ merchantId, action: 'merchant.password_renamed', by }, ({ row }) => {
      if (!row.credentials.some((each) => each.number === number)) return new SettingProblem('no_active_password', String(number), row.id)
      return { credentials: row.credentials.map((each) => (each.number === number ? { ...each, label } : each)) }
    })
  }

  function retirePassword(merchantId: string, number: number | null, by: AuditActor): Promise<Merchant | SettingProblem> {
    return change({ merchantId, action: 'merchant.password_retired', by }, ({ row }) => {
      const live = activeCredentials(row)
      const full = live.filter(({ scope }) => scope === 'full')
      const retired = number === null ? full.at(-1) : live.find((each) => each.number === number)
      if (retired === undefined) return new SettingProblem('no_active_password', String(number), row.id)
      if (retired.scope === 'full' && full.length < 2) return new SettingProblem('last_active_password')
      return { credentials: row.credentials.map((each) => (each === retired ? retiredCredential(each, clock.now()) : each)) }
    })
  }

  /** Reads the current row and writes the change if no other writer was faster; on a conflict it retries. */
  function change(
    { merchantId, action, by }: { readonly merchantId: string; readonly action: string; readonly by: AuditActor },
    decide: (merchant: Merchant) => Change | SettingProblem | Promise<Change | SettingProblem>,
    logo: Pick<MerchantChange, 'logo'> = {},
  ): Promise<Merchant | SettingProblem> {
    const update = async (): Promise<Merchant | SettingProblem | null> => {
      const before = await cache.read(merchantId)
      if (before === null) return new SettingProblem('merchant_unknown')
      const decided = await decide(before)
      if (decided instanceof SettingProblem) return decided
      const row = await rows.seal({ ...before.row, ...decided, version: before.row.version + 1 })
      const isUpdated = await store.write(updateMerchant, {
        ...logo,
        merchant: row,
        audit: merchantAuditEntry(row, {
          ...actionEntry(action, changedNames(before.row, row), by),
          changes: merchantAuditChanges(before.row, row),
        }),
      })
      cache.forget(merchantId)
      return isUpdated ? ((await cache.find(merchantId)) ?? new SettingProblem('merchant_unknown')) : null
    }
    return retryOnConflict(update, { giveUp: () => new SettingProblem('changed_meanwhile') })
  }

  function actionEntry(action: string, outcome: string, { actor, requestId, address }: AuditActor): MerchantAction {
    return { at: clock.now(), actor, requestId, address, action, outcome }
  }
}

/** The names of the changed members: the outcome of the audit entry. */
function changedNames(before: MerchantRow, after: MerchantRow): string {
  const names = (['state', 'name', 'organization', 'address', 'credentials'] as const).filter((name) => before[name] !== after[name])
  const [previous, current] = [before, after].map(({ settings }) => JSON.parse(settings) as Readonly<Record<string, unknown>>)
  const settings = Object.keys(current ?? {}).filter((name) => JSON.stringify(previous?.[name]) !== JSON.stringify(current?.[name]))
  return [...names, ...settings].join(' ') || 'nothing'
}

/** Credentials stored per merchant: the active ones and the last retired ones. */
const maxStoredCredentials = 10

/** An operation on a merchant and its actor. */
export type MerchantAction = Pick<AuditEntry, 'at' | 'actor' | 'action' | 'outcome'> &
  Partial<Pick<AuditEntry, 'requestId' | 'address' | 'changes'>>

/** The audit entry for a change to a merchant; takes the row as it is after the change. */
export function merchantAuditEntry({ id, version, mac }: MerchantRow, action: MerchantAction): AuditEntry {
  return { requestId: '', ...action, merchantId: id, subject: id, version, mac }
}
