import { TamperedRowError, type VerifiedRows } from '../verified-rows.ts'
import type { Clock } from '../../clock.ts'
import { findMerchant, type MerchantRow } from '../../store/merchants.ts'
import type { Store } from '../../store/store.ts'

import { readSettings, type MerchantSettings } from './settings.ts'

/** A merchant whose row has a valid MAC, with its settings parsed. */
export interface Merchant {
  readonly row: MerchantRow
  readonly settings: MerchantSettings
  /** Names of its account fields of kind `reference`. */
  readonly referenceFields: ReadonlySet<string>
}

/** A read-through cache of merchants with a short lifetime. */
export interface MerchantCache {
  /** Null: no merchant has this id. Throws `TamperedRowError` when the row's MAC is wrong. */
  find(merchantId: string): Promise<Merchant | null>
  /** Reads from the store and bypasses the cache. */
  read(merchantId: string): Promise<Merchant | null>
  /** Returns a cached merchant synchronously; null: call `find`. */
  cached(merchantId: string): Merchant | null
  /** Removes a merchant from the cache. */
  forget(merchantId: string): void
}

export interface MerchantCacheDependencies {
  readonly store: Store
  readonly clock: Clock
  readonly rows: VerifiedRows<MerchantRow>
  /** Called when this worker has changed a merchant. */
  readonly onChanged?: ((merchantId: string) => void) | undefined
}

export function makeMerchantCache({ store, clock, rows, onChanged = () => undefined }: MerchantCacheDependencies): MerchantCache {
  const entries = new Map<string, { readonly merchant: Merchant; readonly expiresAt: number }>()
  let changes = 0
  return Object.freeze({ find, read, cached, forget })

  function cached(merchantId: string): Merchant | null {
    const found = entries.get(merchantId)
    const now = clock.now()
    return found !== undefined && Math.abs(found.expiresAt - now) <= lifetimeMs && now < found.expiresAt ? found.merchant : null
  }

  async function find(merchantId: string): Promise<Merchant | null> {
    const known = cached(merchantId)
    if (known !== null) return known
    const now = clock.now()
    entries.delete(merchantId)
    const changesBefore = changes
    const merchant = await read(merchantId)
    if (merchant === null) return null
    // Do not cache a row that was read before a change made by this process.
    if (changes === changesBefore) insert(merchantId, { merchant, expiresAt: now + lifetimeMs })
    return merchant
  }

  async function read(merchantId: string): Promise<Merchant | null> {
    const row = await store.read(findMerchant(merchantId))
    if (row === null) return null
    if (!(await rows.isValid(row))) throw new TamperedRowError(`merchant ${row.id} has a wrong MAC`)
    return toMerchant(row)
  }

  function insert(merchantId: string, entry: { readonly merchant: Merchant; readonly expiresAt: number }): void {
    for (const oldest of entries.keys()) {
      if (entries.size < maxEntries) break
      entries.delete(oldest)
    }
    entries.set(merchantId, entry)
  }

  function forget(merchantId: string): void {
    changes += 1
    entries.delete(merchantId)
    onChanged(merchantId)
  }
}

/** Parses the settings of a merchant's row, once for all calls while it is cached. */
export function toMerchant(row: MerchantRow): Merchant {
  const settings = readSettings(row.settings)
  const references = settings.accountFields.filter(({ kind }) => kind === 'reference')
  return Object.freeze({ row, settings, referenceFields: new Set(references.map(({ name }) => name)) })
}

/** A block or a password change takes effect within this time in every process, and at once in the process that made it. */
const lifetimeMs = 5000
/** The oldest entry is evicted first. */
const maxEntries = 4096
