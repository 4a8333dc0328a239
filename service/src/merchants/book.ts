import { RowTampered } from '../cards/find.ts'
import type { Clock } from '../clock.ts'
import type { MerchantRow, Store } from '../store/store.ts'

import type { MerchantMac } from './mac.ts'
import { readSettings, type MerchantSettings } from './settings.ts'

/** A merchant as this process knows it: its row is as we wrote it, and its settings are read. */
export interface Merchant {
  readonly row: MerchantRow
  readonly settings: MerchantSettings
}

/** The merchants, remembered for a short while. */
export interface MerchantBook {
  /** Null: no merchant has this id. Throws `RowTampered` when its row is not as we wrote it. */
  find(merchantId: string): Promise<Merchant | null>
  /** As it is kept at this moment, whatever is remembered. */
  read(merchantId: string): Promise<Merchant | null>
  /** One that is remembered, without waiting; null: ask `find`. */
  held(merchantId: string): Merchant | null
  /** What was remembered of a merchant is asked anew. */
  forget(merchantId: string): void
}

export interface BookParts {
  readonly store: Store
  readonly clock: Clock
  readonly mac: MerchantMac
  readonly alarm: MerchantAlarm
}

/** Told when a row is not as we wrote it. Ids only; to be logged at least. */
export type MerchantAlarm = (event: 'row_tampered', fields: { merchantId: string; cardId: string; requestId: string }) => void

export function openBook({ store, clock, mac, alarm }: BookParts): MerchantBook {
  const kept = new Map<string, { readonly merchant: Merchant; readonly until: number }>()
  let changes = 0
  return Object.freeze({ find, read, held, forget })

  function held(merchantId: string): Merchant | null {
    const found = kept.get(merchantId)
    const now = clock.now()
    return found !== undefined && Math.abs(found.until - now) <= lifeMs && now < found.until ? found.merchant : null
  }

  async function find(merchantId: string): Promise<Merchant | null> {
    const known = held(merchantId)
    if (known !== null) return known
    const now = clock.now()
    kept.delete(merchantId)
    const changesBefore = changes
    const merchant = await read(merchantId)
    if (merchant === null) return null
    // A row that was read before a change of this process is not remembered after it.
    if (changes === changesBefore) keep(merchantId, { merchant, until: now + lifeMs })
    return merchant
  }

  async function read(merchantId: string): Promise<Merchant | null> {
    const row = await store.findMerchant(merchantId)
    if (row === null) return null
    if (!(await mac.isTrue(row))) {
      alarm('row_tampered', { merchantId: row.id, cardId: '', requestId: '' })
      throw new RowTampered(`merchant ${row.id} has a wrong MAC`)
    }
    return Object.freeze({ row, settings: readSettings(row.settings) })
  }

  function keep(merchantId: string, held: { readonly merchant: Merchant; readonly until: number }): void {
    for (const oldest of kept.keys()) {
      if (kept.size < keptMax) break
      kept.delete(oldest)
    }
    kept.set(merchantId, held)
  }

  function forget(merchantId: string): void {
    changes += 1
    kept.delete(merchantId)
  }
}

/** A blocked merchant or a changed password is known within this time in every process, and at once in the one that changed it. */
const lifeMs = 5000
/** Merchants kept in memory; the oldest goes first. */
const keptMax = 4096
