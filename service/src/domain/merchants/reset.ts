import type { Keyring } from '@tessera/vault/keyring'

import { shreddedCard } from '../cards/lifecycle.ts'
import type { Clock } from '../../clock.ts'
import { type AuditEntry, insertAuditEntry } from '../../store/audit.ts'
import { type CardRow, type ListedCard, listCards, updateCard, cardsTable } from '../../store/cards.ts'
import type { Store } from '../../store/store.ts'
import type { RequestLogStore } from '../../store/request-log-store.ts'
import { deleteSegmentsOf } from '../../store/request-segments.ts'
import { deleteTestData } from '../../store/test-data.ts'
import type { TimeCursor } from '../../store/transaction.ts'

import { makeFreshRowAuthenticator, type RowFreshness } from '../freshness/row-freshness.ts'
import type { MerchantCardsKey } from '../reporting/cards.ts'
import type { AuditActor } from '../request-context.ts'

export interface DeletedRowCounts {
  /** Cards whose sealed number was shredded. */
  readonly cards: number
  readonly rows: number
  /** False: more data is left. */
  readonly isComplete: boolean
}

/**
 * Deletes a merchant's test data. Every card with a sealed number is first removed like in `cards.remove`, with an audit entry, so that a row
 * restored later is detected. Then the tombstones and their dependent rows are deleted. The audit stays.
 */
export type Reset = (of: MerchantCardsKey, by: AuditActor) => Promise<DeletedRowCounts>

export interface ResetDependencies {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly requestLog: Pick<RequestLogStore, 'deletePage'>
  readonly keyring: Keyring
  readonly clock: Pick<Clock, 'now'>
  readonly environment: string
  readonly freshness?: RowFreshness | undefined
}

export function makeReset(deps: ResetDependencies): Reset {
  const { store, requestLog, clock } = deps
  const mac = makeFreshRowAuthenticator(deps, cardsTable)
  return async (of, by) => {
    await store.write(insertAuditEntry, { audit: resetAuditEntry(of, by, 'requested') })
    const cards = await shredAll(of, by)
    const { rows, isComplete } = await deleteAll(of)
    await store.write(insertAuditEntry, { audit: resetAuditEntry(of, by, isComplete && cards.isComplete ? 'done' : 'partial') })
    return { cards: cards.shredded, rows, isComplete: isComplete && cards.isComplete }
  }

  async function shredAll({ bucket, merchantId }: MerchantCardsKey, by: AuditActor): Promise<{ shredded: number; isComplete: boolean }> {
    let shredded = 0
    let isComplete = true
    let after: TimeCursor | null = null
    for (let page = 0; page < maxPages; page++) {
      const listed: ListedCard[] = await store.read(listCards({ bucket, merchantId, after, count: pageLength, by: null }))
      const cards = listed.filter((card): card is CardRow => 'blob' in card && card.blob.length > 0)
      const done = await Promise.all(cards.map((card) => shred(card, by)))
      shredded += done.filter((isDone) => isDone).length
      isComplete &&= done.every((isDone) => isDone)
      // An unreadable row is left unchanged, and it cannot serve as a cursor.
      const last = listed.findLast((card) => 'createdAt' in card)
      if (last === undefined || listed.length < pageLength) return { shredded, isComplete }
      after = { at: last.createdAt, id: last.cardId }
    }
    return { shredded, isComplete: false }
  }

  /** False: the card was changed concurrently; the next reset handles it. */
  async function shred(card: CardRow, by: AuditActor): Promise<boolean> {
    const now = clock.now()
    const shredded = shreddedCard(card, 'removed', now)
    // A tampered row keeps its wrong MAC, so that it does not become valid.
    const next = (await mac.hasValidMac(card)) ? await mac.seal(shredded) : shredded
    const { merchantId, cardId, version } = next
    const audit = {
      at: now,
      actor: by.actor,
      requestId: by.requestId,
      address: by.address,
      action: 'card.removed',
      merchantId,
      subject: cardId,
      outcome: 'reset',
      version,
      mac: next.mac,
    }
    return store.write(updateCard, { card: next, audit })
  }

  async function deleteAll({ bucket, merchantId }: MerchantCardsKey): Promise<{ rows: number; isComplete: boolean }> {
    let rows = 0
    for (let page = 0; page < maxPages; page++) {
      const deleted =
        (await store.write(deleteTestData, { bucket, merchantId })) +
        (await requestLog.deletePage(deleteSegmentsOf({ bucket, merchantId })))
      rows += deleted
      if (deleted === 0) return { rows, isComplete: true }
    }
    return { rows, isComplete: false }
  }

  function resetAuditEntry({ merchantId }: MerchantCardsKey, by: AuditActor, outcome: string): AuditEntry {
    const details = { address: by.address, merchantId, subject: merchantId, outcome, version: 0, mac: new Uint8Array(0) }
    return { at: clock.now(), actor: by.actor, requestId: by.requestId, action: 'sandbox.reset', ...details }
  }
}

const pageLength = 100
/** Pages handled per call; the caller repeats the call for the rest. */
const maxPages = 100
