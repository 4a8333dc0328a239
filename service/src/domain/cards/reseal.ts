import type { Dek, KeyStatus, Keyring } from '@tessera/vault/keyring'
import { SealBrokenError, resealBlob } from '@tessera/vault/seal'

import type { RowFreshness } from '../freshness/row-freshness.ts'
import type { Clock } from '../../clock.ts'
import { type CardRow, countCardsByKey, listCardsByKey, updateCard, cardsTable } from '../../store/cards.ts'
import type { Store } from '../../store/store.ts'

import { makeVerifiedRows } from '../verified-rows.ts'

import { makeCardQuarantine } from './quarantine.ts'
import { systemCardChangeEntry } from './change-records.ts'
import type { RowAlarm } from './services.ts'

/** Moves cards to their merchant's active data key. Only the outer layer is sealed again, so no token is needed. */
export interface CardResealer {
  /** Reseals one bounded round and returns the number of cards. Stops after the current page when `stopping` is aborted; the next call continues there. */
  runOnce(stopping?: AbortSignal): Promise<number>
  /** Every card key that is not destroyed, with the number of cards sealed under it, oldest first. */
  status(): Promise<CardKeyStatus[]>
  /** Destroys a key for the operator. Throws `KeyInUseError` while a card is sealed under it. */
  destroy(keyId: string): Promise<void>
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

  return Object.freeze({
    async runOnce(stopping?: AbortSignal) {
      let resealed = 0
      for (const key of await oldCardKeys()) {
        if (resealed >= maxCardsPerRound || stopping?.aborted === true) break
        resealed += await resealPage(key)
      }
      return resealed
    },
    async status() {
      const counts = new Map((await store.scan(countCardsByKey())).map(({ keyId, cards }) => [keyId, cards]))
      return activeAndOldCardKeys().map((key) => ({ ...key, cards: counts.get(key.keyId) ?? 0 }))
    },
    async destroy(keyId: string) {
      const held = (await store.scan(countCardsByKey())).find((count) => count.keyId === keyId)
      if (held !== undefined && held.cards > 0)
        throw new KeyInUseError(`${held.cards} cards are sealed under key ${keyId}: reseal them first`)
      await keyring.destroy(keyId)
    },
  })

  function activeAndOldCardKeys(): KeyStatus[] {
    return keyring
      .list()
      .filter(({ purpose, state }) => purpose === 'card' && state !== 'destroyed')
      .sort((a, b) => a.createdAt - b.createdAt)
  }

  /** Requesting the active key retires keys whose epoch is over. */
  async function oldCardKeys(): Promise<KeyStatus[]> {
    for (const owner of new Set(activeAndOldCardKeys().map((key) => key.owner))) await keyring.active('card', owner)
    return activeAndOldCardKeys().filter(({ keyId, state }) => state === 'decrypt_only' && (skippedUntil.get(keyId) ?? 0) <= clock.now())
  }

  async function resealPage({ keyId }: KeyStatus): Promise<number> {
    const page = await store.read(listCardsByKey(keyId, after.get(keyId) ?? '', pageLength))
    const last = page.at(-1)
    if (last === undefined && !after.has(keyId)) skippedUntil.set(keyId, clock.now() + emptyKeySkipMs)
    // Start over at the end, to find cards that were changed meanwhile.
    if (last === undefined || page.length < pageLength) after.delete(keyId)
    else after.set(keyId, last.cardId)
    const done = await Promise.all(quarantine.readable(page).map((card) => resealCard(card)))
    return done.filter((isDone) => isDone).length
  }

  async function resealCard(card: CardRow): Promise<boolean> {
    const { merchantId, keyId } = card
    if (!(await rows.isValid(card))) return false
    const [from, to] = await Promise.all([keyring.byId(keyId), keyring.active('card', merchantId)])
    const blob = tryReseal(card, from, to)
    if (blob === null) return false
    const next = await rows.seal({ ...card, blob, keyId: to.keyId, version: card.version + 1 })
    return store.write(updateCard, {
      card: next,
      audit: systemCardChangeEntry(next, { at: clock.now(), action: 'card.resealed', outcome: 'resealed' }),
    })
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

const pageLength = 100
const emptyKeySkipMs = 3_600_000
/** Most cards of one call, plus up to a page, so that resealing does not occupy the store. */
const maxCardsPerRound = 500
