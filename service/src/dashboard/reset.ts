import type { Keyring } from '@tessera/vault/keyring'

import { shreddedCard } from '../cards/life.ts'
import { makeCardMac } from '../cards/mac.ts'
import type { Clock } from '../clock.ts'
import type { AuditNote, CardRow, Store, TimePlace } from '../store/store.ts'

import type { CardsOf } from './cards.ts'
import type { Doer } from './parts.ts'

export interface Dropped {
  /** Cards whose sealed number was shredded. */
  readonly cards: number
  readonly rows: number
  /** False: there is more. */
  readonly isWhole: boolean
}

/**
 * Empties what a merchant has rehearsed. Every card that holds a number is first removed as `cards.remove` does it, with its entry in the audit, so
 * that a row that is put back later is found out; only then the tombstones go, and what hangs on them. The audit itself stays.
 */
export type Reset = (of: CardsOf, doer: Doer) => Promise<Dropped>

export interface ResetParts {
  readonly store: Pick<Store, 'listCards' | 'changeCard' | 'dropRehearsed' | 'appendAudit'>
  readonly keyring: Keyring
  readonly clock: Pick<Clock, 'now'>
  readonly environment: string
}

export function makeReset({ store, keyring, clock, environment }: ResetParts): Reset {
  const mac = makeCardMac(keyring, environment)
  return async (of, doer) => {
    await store.appendAudit(noteReset(of, doer, 'asked'))
    const cards = await shredAll(of, doer)
    const { rows, isWhole } = await dropAll(of)
    await store.appendAudit(noteReset(of, doer, isWhole && cards.isWhole ? 'done' : 'partly'))
    return { cards: cards.shredded, rows, isWhole: isWhole && cards.isWhole }
  }

  async function shredAll({ bucket, merchantId }: CardsOf, doer: Doer): Promise<{ shredded: number; isWhole: boolean }> {
    let shredded = 0
    let isWhole = true
    let after: TimePlace | null = null
    for (let page = 0; page < pagesMax; page++) {
      const listed = await store.listCards({ bucket, merchantId, after, count: pageLength, by: null })
      const cards = listed.filter((card): card is CardRow => 'blob' in card && card.blob.length > 0)
      const done = await Promise.all(cards.map((card) => shred(card, doer)))
      shredded += done.filter((isDone) => isDone).length
      isWhole &&= done.every((isDone) => isDone)
      // A row that cannot be read stays where it lies, as everywhere, and no page is known to begin behind it.
      const last = listed.findLast((card) => 'createdAt' in card)
      if (last === undefined || listed.length < pageLength) return { shredded, isWhole }
      after = { at: last.createdAt, id: last.cardId }
    }
    return { shredded, isWhole: false }
  }

  /** False: somebody else changed the card meanwhile; the next reset meets it again. */
  async function shred(card: CardRow, doer: Doer): Promise<boolean> {
    const now = clock.now()
    const left = shreddedCard(card, 'removed', now)
    // A tampered row keeps its wrong MAC: it is not to look right afterwards.
    const next = (await mac.isTrue(card)) ? await mac.seal(left) : left
    const { merchantId, cardId, version } = next
    const audit = { at: now, ...doer, action: 'card.removed', merchantId, subject: cardId, outcome: 'reset', version, mac: next.mac }
    return store.changeCard(next, audit)
  }

  async function dropAll({ bucket, merchantId }: CardsOf): Promise<{ rows: number; isWhole: boolean }> {
    let rows = 0
    for (let page = 0; page < pagesMax; page++) {
      const dropped = await store.dropRehearsed({ bucket, merchantId })
      rows += dropped
      if (dropped === 0) return { rows, isWhole: true }
    }
    return { rows, isWhole: false }
  }

  function noteReset({ merchantId }: CardsOf, doer: Doer, outcome: string): AuditNote {
    const about = { merchantId, subject: merchantId, outcome, version: 0, mac: new Uint8Array(0) }
    return { at: clock.now(), ...doer, action: 'sandbox.reset', ...about }
  }
}

const pageLength = 100
/** What one call empties at most; it is asked again for the rest. */
const pagesMax = 100
