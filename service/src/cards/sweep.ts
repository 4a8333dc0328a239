import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../clock.ts'
import type { CardRow, Store } from '../store/store.ts'

import { cardEvent, telling } from './events.ts'
import { shreddedCard } from './life.ts'
import { makeCardMac, type CardMac } from './mac.ts'
import { noteOwnChange } from './note.ts'
import type { Alarm } from './tools.ts'

export interface Sweep {
  /** Shreds the cards whose life is over and drops what limits no longer need; tells how many cards. To be called every minute or so. */
  runOnce(): Promise<number>
}

export interface SweepParts {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly environment: string
  readonly alarm: Alarm
}

export function makeSweep(parts: SweepParts): Sweep {
  const mac = makeCardMac(parts.keyring, parts.environment)
  return Object.freeze({
    async runOnce() {
      await parts.store.dropLimits(parts.clock.now() - limitsLifeMs)
      await parts.keyring.destroyPast()
      return shredEnded(parts, mac)
    },
  })
}

async function shredEnded({ store, clock, alarm }: SweepParts, mac: CardMac): Promise<number> {
  let shredded = 0
  for (let page = 0; page < pagesMax; page++) {
    const ended = await store.listEndedCards(clock.now(), pageLength)
    const done = await Promise.all(ended.map((card) => shred(card)))
    shredded += done.filter((isDone) => isDone).length
    if (ended.length < pageLength || !done.includes(true)) break
  }
  return shredded

  async function shred(card: CardRow): Promise<boolean> {
    const next = shreddedCard(card, 'ended', clock.now())
    const isTrue = await mac.isTrue(card)
    if (!isTrue) alarm('row_tampered', { merchantId: card.merchantId, cardId: card.cardId, requestId: '' })
    // A tampered row is shredded too, but keeps its wrong MAC: it is not to look right afterwards.
    const kept = isTrue ? await mac.seal(next) : next
    const note = noteOwnChange(kept, { at: clock.now(), action: 'card.ended', outcome: isTrue ? 'shredded' : 'tampered' })
    // Of a card that was never verified its merchant expects nothing, and a row that is not ours tells nothing.
    const riders = isTrue && kept.verified ? telling(null, cardEvent('card.expired', kept, clock.now())) : null
    return (await store.changeCard(kept, note, riders)) === true
  }
}

/** A window of one day, and the key of the day lives a day longer than its use. */
const limitsLifeMs = 48 * 3_600_000
const pageLength = 100
/** What one run shreds at most; the next run goes on. */
const pagesMax = 100
