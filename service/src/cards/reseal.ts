import type { Dek, KeyStatus, Keyring } from '@tessera/vault/keyring'
import { SealBroken, resealBlob } from '@tessera/vault/seal'

import type { Clock } from '../clock.ts'
import type { CardRow, Store } from '../store/store.ts'

import { makeAside } from './aside.ts'
import { makeCardMac } from './mac.ts'
import { noteOwnChange } from './note.ts'
import type { Alarm } from './tools.ts'

/** Moves old cards under their merchant's active key: the outer layer only, no token is needed. */
export interface Reseal {
  /** Reseals one bounded round, or until the page at which it is told to stop, and tells how many cards; the next call goes on where this one stopped. */
  runOnce(stopping?: AbortSignal): Promise<number>
  /** Every card key that lives and how many cards hang on it, oldest first. */
  status(): Promise<CardKeyStatus[]>
  /** Destroys a key on the operator's word. Throws `KeyHoldsCards` while a card hangs on it. */
  destroy(keyId: string): Promise<void>
}

export interface CardKeyStatus extends KeyStatus {
  readonly cards: number
}

/** A key was to be destroyed while cards hang on it: that would shred them. */
export class KeyHoldsCards extends Error {
  override readonly name = 'KeyHoldsCards'
}

export interface ResealParts {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly environment: string
  readonly alarm: Alarm
}

export function makeReseal(parts: ResealParts): Reseal {
  const { store, keyring, clock, environment, alarm } = parts
  const mac = makeCardMac(keyring, environment)
  const aside = makeAside(alarm)
  /** Where each old key's paging stands; a restart begins anew, and resealed cards are not listed again. */
  const after = new Map<string, string>()
  /** Until when a key that holds no card is left alone. */
  const restUntil = new Map<string, number>()

  return Object.freeze({
    async runOnce(stopping?: AbortSignal) {
      let resealed = 0
      for (const key of await oldCardKeys()) {
        if (resealed >= roundMax || stopping?.aborted === true) break
        resealed += await resealPage(key)
      }
      return resealed
    },
    async status() {
      const counts = new Map((await store.countCardsByKey()).map(({ keyId, cards }) => [keyId, cards]))
      return livingCardKeys().map((key) => ({ ...key, cards: counts.get(key.keyId) ?? 0 }))
    },
    async destroy(keyId: string) {
      const held = (await store.countCardsByKey()).find((count) => count.keyId === keyId)
      if (held !== undefined && held.cards > 0) throw new KeyHoldsCards(`${held.cards} cards hang on key ${keyId}: reseal them first`)
      await keyring.destroy(keyId)
    },
  })

  function livingCardKeys(): KeyStatus[] {
    return keyring
      .list()
      .filter(({ purpose, state }) => purpose === 'card' && state !== 'destroyed')
      .sort((a, b) => a.createdAt - b.createdAt)
  }

  /** Asking for the active key ends the time of those whose epoch is over. */
  async function oldCardKeys(): Promise<KeyStatus[]> {
    for (const owner of new Set(livingCardKeys().map((key) => key.owner))) await keyring.active('card', owner)
    return livingCardKeys().filter(({ keyId, state }) => state === 'decrypt_only' && (restUntil.get(keyId) ?? 0) <= clock.now())
  }

  async function resealPage({ keyId }: KeyStatus): Promise<number> {
    const page = await store.listCardsUnderKey(keyId, after.get(keyId) ?? '', pageLength)
    const last = page.at(-1)
    if (last === undefined && !after.has(keyId)) restUntil.set(keyId, clock.now() + restMs)
    // At the end it begins anew: a card that moved in between is met the next time.
    if (last === undefined || page.length < pageLength) after.delete(keyId)
    else after.set(keyId, last.cardId)
    const done = await Promise.all(aside.readable(page).map((card) => resealCard(card)))
    return done.filter((isDone) => isDone).length
  }

  async function resealCard(card: CardRow): Promise<boolean> {
    const { merchantId, cardId, keyId } = card
    if (!(await mac.isTrue(card))) {
      alarm('row_tampered', { merchantId, cardId, requestId: '' })
      return false
    }
    const [from, to] = await Promise.all([keyring.byId(keyId), keyring.active('card', merchantId)])
    const blob = tryReseal(card, from, to)
    if (blob === null) return false
    const next = await mac.seal({ ...card, blob, keyId: to.keyId, version: card.version + 1 })
    return store.changeCard(next, noteOwnChange(next, { at: clock.now(), action: 'card.resealed', outcome: 'resealed' }))
  }

  /** A seal that does not open stays where it is, and keeps no other from going on. */
  function tryReseal(card: CardRow, from: Dek, to: Dek): Uint8Array | null {
    const { merchantId, cardId, blob } = card
    try {
      return resealBlob(blob, from, to, { environment, merchantId, cardId })
    } catch (err) {
      if (!(err instanceof SealBroken)) throw err
      aside.tell('reseal_failed', card)
      return null
    }
  }
}

const pageLength = 100
const restMs = 3_600_000
/** What one call reseals at most, give or take a page, so that it never takes the store for itself. */
const roundMax = 500
