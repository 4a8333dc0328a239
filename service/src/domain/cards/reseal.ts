import type { Dek, KeyStatus, Keyring } from '@tessera/vault/keyring'
import { SealBrokenError, resealBlob } from '@tessera/vault/seal'

import type { RowFreshness } from '../freshness/row-freshness.ts'
import type { Clock } from '../../clock.ts'
import {
  type CardRow,
  countCardsByKey,
  type ListedCard,
  listCardsByKey,
  resealCards,
  cardsTable,
  type CardChange,
} from '../../store/cards.ts'
import { StoreDamaged, StoreOutcomeUnknown, StoreOverloaded, StoreUnavailable, type Store } from '../../store/store.ts'

import type { Walk } from '../../store/walk.ts'
import { makeVerifiedRows } from '../verified-rows.ts'
import { changeAtPace, maxBatchRows, type WorkPace } from '../work-pace.ts'

import { makeCardQuarantine } from './quarantine.ts'
import { changeCards } from './change-batch.ts'
import { systemCardChangeEntry } from './change-records.ts'
import type { RowAlarm } from './services.ts'

/** Moves cards to their merchant's active data key. Only the outer layer is sealed again, so no token is needed. */
export interface CardResealer {
  /** Reseals one bounded round and returns the number of cards. Stops when `stopping` is aborted, after the cards in progress. With a pace it pauses between a few cards and the next. */
  runOnce(stopping?: AbortSignal, pace?: WorkPace): Promise<number>
  /**
   * Reseals every card of a retired key now, at the given pace, instead of the background job. A second run continues. Returns why it cannot: the key is
   * `unknown` or destroyed, `active`, or being resealed (`running`). Throws the reason of the walk's signal when it is cancelled.
   */
  resealKey(keyId: string, run: ResealRun): Promise<ResealedKey | 'unknown' | 'active' | 'running'>
  /** Cards that are sealed under retired keys. */
  readBacklog(): Promise<ResealBacklog>
  /** Cards that this process has resealed. */
  resealedCount(): number
  /** Every card key that is not destroyed, with the number of cards sealed under it, oldest first. */
  status(): Promise<CardKeyStatus[]>
  /** Destroys a key for the operator. Throws `KeyInUseError` while a card is sealed under it. */
  destroy(keyId: string): Promise<void>
}

export interface ResealRun {
  /** Counts the resealed cards. */
  readonly walk: Walk
  readonly pace: WorkPace
  readonly signal: AbortSignal
}

export interface ResealedKey {
  readonly resealed: number
  /** Still sealed under the key: rows that are refused, or that were changed at that moment. */
  readonly left: number
}

export interface ResealBacklog {
  readonly cards: number
  /** When the first of their keys was retired, Unix milliseconds; null without cards. */
  readonly since: number | null
}

export interface CardKeyStatus extends KeyStatus {
  readonly cards: number
}

/** Destroying this key would make its cards unreadable. */
export class KeyInUseError extends Error {
  override readonly name = 'KeyHoldsCards'
}

export interface CardResealerDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly environment: string
  readonly alarm: RowAlarm
  readonly freshness?: RowFreshness | undefined
}

export function makeCardResealer(deps: CardResealerDependencies): CardResealer {
  const { store, keyring, clock, environment, alarm } = deps
  const rows = makeVerifiedRows(deps, cardsTable)
  const quarantine = makeCardQuarantine(alarm)
  /** The cursor of each old key. A restart starts over; resealed cards are no longer listed. */
  const after = new Map<string, string>()
  /** Until when a key without cards is skipped. */
  const skippedUntil = new Map<string, number>()
  /** The keys that an operator's command is resealing. */
  const byCommand = new Set<string>()
  let total = 0

  return Object.freeze({
    async runOnce(stopping?: AbortSignal, pace?: WorkPace) {
      let resealed = 0
      for (const key of await oldCardKeys()) {
        if (byCommand.has(key.keyId)) continue
        if (resealed >= maxCardsPerRound || stopping?.aborted === true) break
        resealed += await resealPage(key, { pace, stopping })
      }
      return resealed
    },
    async resealKey(keyId: string, run: ResealRun) {
      const key = activeAndOldCardKeys().find((each) => each.keyId === keyId)
      if (key === undefined) return 'unknown'
      if (key.state === 'active') return 'active'
      if (byCommand.has(keyId)) return 'running'
      byCommand.add(keyId)
      try {
        run.walk.begin('cards', await countCardsOf(keyId))
        let resealed = 0
        // Once more, for cards that were changed while they were resealed.
        for (let pass = Infinity; pass > 0; resealed += pass) pass = await resealPages(keyId, run)
        return { resealed, left: await countCardsOf(keyId) }
      } finally {
        byCommand.delete(keyId)
      }
    },
    async readBacklog() {
      const retired = retiredKeys()
      if (retired.length === 0) return { cards: 0, since: null }
      const counts = new Map((await store.scan(countCardsByKey())).map(({ keyId, cards }) => [keyId, cards]))
      const held = retired.filter(({ keyId }) => (counts.get(keyId) ?? 0) > 0)
      const cards = held.reduce((sum, { keyId }) => sum + (counts.get(keyId) ?? 0), 0)
      return { cards, since: held.length === 0 ? null : Math.min(...held.map(retiredAt)) }
    },
    resealedCount: () => total,
    async status() {
      const counts = new Map((await store.scan(countCardsByKey())).map(({ keyId, cards }) => [keyId, cards]))
      return activeAndOldCardKeys().map((key) => ({ ...key, cards: counts.get(key.keyId) ?? 0 }))
    },
    async destroy(keyId: string) {
      const held = await countCardsOf(keyId)
      if (held > 0) throw new KeyInUseError(`${held} cards are sealed under key ${keyId}: reseal them first`)
      await keyring.destroy(keyId)
    },
  })

  function activeAndOldCardKeys(): KeyStatus[] {
    return keyring
      .list()
      .filter(({ purpose, state }) => purpose === 'card' && state !== 'destroyed')
      .sort((a, b) => a.createdAt - b.createdAt)
  }

  /** When the next key of its owner was created. */
  function retiredAt({ owner, epoch }: KeyStatus): number {
    return Math.min(
      ...activeAndOldCardKeys().flatMap((key) => (key.owner === owner && key.epoch > epoch ? [key.createdAt] : [])),
      clock.now(),
    )
  }

  /** Those that may have cards. */
  function retiredKeys(): KeyStatus[] {
    return activeAndOldCardKeys().filter(({ keyId, state }) => state === 'decrypt_only' && (skippedUntil.get(keyId) ?? 0) <= clock.now())
  }

  /** Requesting the active key retires keys whose epoch is over. */
  async function oldCardKeys(): Promise<KeyStatus[]> {
    for (const owner of new Set(activeAndOldCardKeys().map((key) => key.owner))) await keyring.active('card', owner)
    return retiredKeys()
  }

  async function countCardsOf(keyId: string): Promise<number> {
    return (await store.scan(countCardsByKey())).find((count) => count.keyId === keyId)?.cards ?? 0
  }

  /** From the first to the last card of a key. Returns how many were resealed. A page that the store fails is repeated: a million cards take long. */
  async function resealPages(keyId: string, { walk, pace, signal }: ResealRun): Promise<number> {
    let resealed = 0
    for (let after = '', failures = 0; ;) {
      let page: ListedCard[]
      let done: number
      try {
        page = await store.read(listCardsByKey(keyId, after, maxBatchRows))
        done = await resealReadable(page, { pace, stopping: signal })
        failures = 0
      } catch (err) {
        failures += 1
        if (!isTransient(err) || failures > maxFailures) throw err
        await clock.sleep(failurePauseMs, signal)
        continue
      }
      resealed += done
      await walk.advance(done)
      const last = page.at(-1)
      if (last === undefined || page.length < maxBatchRows) return resealed
      after = last.cardId
    }
  }

  async function resealReadable(page: readonly ListedCard[], run: PageRun): Promise<number> {
    const changeBatch = (batch: readonly CardRow[]): Promise<number> =>
      changeCards(batch, { store, transaction: resealCards, toChange: resealCard })
    const count = await changeAtPace(quarantine.readable(page), changeBatch, run)
    total += count
    return count
  }

  async function resealPage({ keyId }: KeyStatus, run: PageRun): Promise<number> {
    const page = await store.read(listCardsByKey(keyId, after.get(keyId) ?? '', maxBatchRows))
    const last = page.at(-1)
    if (last === undefined && !after.has(keyId)) skippedUntil.set(keyId, clock.now() + emptyKeySkipMs)
    // Start over at the end, to find cards that were changed meanwhile.
    if (last === undefined || page.length < maxBatchRows) after.delete(keyId)
    else after.set(keyId, last.cardId)
    return resealReadable(page, run)
  }

  /** The card under the active key; null when its row or its seal is refused. */
  async function resealCard(card: CardRow): Promise<CardChange | null> {
    const { merchantId, keyId } = card
    if (!(await rows.isValid(card))) return null
    const [from, to] = await Promise.all([keyring.byId(keyId), keyring.active('card', merchantId)])
    const blob = tryReseal(card, from, to)
    if (blob === null) return null
    const next = await rows.seal({ ...card, blob, keyId: to.keyId, version: card.version + 1 })
    return { card: next, audit: systemCardChangeEntry(next, { at: clock.now(), action: 'card.resealed', outcome: 'resealed' }) }
  }

  /** Null if the seal does not open; the card is reported and left unchanged. */
  function tryReseal(card: CardRow, from: Dek, to: Dek): Uint8Array | null {
    const { merchantId, cardId, blob } = card
    try {
      return resealBlob(blob, from, to, { environment, merchantId, cardId })
    } catch (err) {
      if (!(err instanceof SealBrokenError)) throw err
      quarantine.report('reseal_failed', card)
      return null
    }
  }
}

/** Whether the store may succeed a moment later. */
function isTransient(err: unknown): boolean {
  if (err instanceof StoreDamaged) return false
  return err instanceof StoreUnavailable || err instanceof StoreOutcomeUnknown || err instanceof StoreOverloaded
}

interface PageRun {
  readonly pace: WorkPace | undefined
  readonly stopping: AbortSignal | undefined
}

/** Of one page after the other; together a minute and what the calls of the store take. */
const maxFailures = 60
const failurePauseMs = 1000
const emptyKeySkipMs = 3_600_000
/** Most cards of one call, plus up to a page, so that resealing does not occupy the store. */
const maxCardsPerRound = 500
