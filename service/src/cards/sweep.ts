import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../clock.ts'
import type { CardPlace, CardRow, ListedCard, Store } from '../store/store.ts'

import { makeAside, type Aside } from './aside.ts'
import { cardEvent, telling } from './events.ts'
import { expiredCard, isMissed, keptBefore, shreddedCard } from './life.ts'
import { makeCardMac, type CardMac } from './mac.ts'
import { noteOwnChange } from './note.ts'
import type { Alarm } from './tools.ts'

export interface Sweep {
  /**
   * Tells of the kept cards whose expiry has passed, shreds the cards whose life is over, and drops what limits no longer need; tells how
   * many were shredded. To be called every minute or so; `stopping` ends it between two pages.
   */
  runOnce(stopping?: AbortSignal): Promise<number>
}

export interface SweepParts {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly environment: string
  readonly alarm: Alarm
}

export function makeSweep(parts: SweepParts): Sweep {
  const made = { ...parts, mac: makeCardMac(parts.keyring, parts.environment), aside: makeAside(parts.alarm) }
  return Object.freeze({
    async runOnce(stopping?: AbortSignal) {
      const { store, keyring, clock } = parts
      const tools = { ...made, stopping }
      await store.dropLimits(clock.now() - limitsLifeMs, stopping)
      await keyring.destroyPast()
      await sweepPages(tools, (after) => store.listKeptCards(keptBefore(clock.now()), pageLength, after), expire)
      return sweepPages(tools, (after) => store.listEndedCards(clock.now(), pageLength, after), shred)
    },
  })
}

interface SweepTools extends SweepParts {
  readonly mac: CardMac
  readonly aside: Aside
  readonly stopping: AbortSignal | undefined
}

type Turn = (card: CardRow, now: number) => { readonly next: CardRow; readonly action: string; readonly outcome: string }

const expire: Turn = (card) => ({ next: expiredCard(card), action: 'card.expired', outcome: 'kept' })
const shred: Turn = (card, now) => ({ next: shreddedCard(card, 'ended', now), action: 'card.ended', outcome: 'shredded' })

/** Turns page after page, each card once; a row that cannot be read is left aside. Tells how many were turned. */
async function sweepPages(tools: SweepTools, list: (after?: CardPlace) => Promise<ListedCard[]>, turn: Turn): Promise<number> {
  let turned = 0
  let last: ListedCard | undefined
  for (let page = 0; page < pagesMax && tools.stopping?.aborted !== true; page++) {
    const cards = await list(last)
    const done = await Promise.all(tools.aside.readable(cards).map((card) => turnCard(tools, card, turn)))
    turned += done.filter((isDone) => isDone).length
    last = cards.at(-1)
    if (cards.length < pageLength) break
  }
  return turned
}

/** One unit: the card's next state, and where its merchant hears of it the event. Whoever comes second finds another version. */
async function turnCard({ store, mac, clock, alarm }: SweepTools, card: CardRow, turn: Turn): Promise<boolean> {
  const now = clock.now()
  const { next, action, outcome } = turn(card, now)
  const isTrue = await mac.isTrue(card)
  if (!isTrue) alarm('row_tampered', { merchantId: card.merchantId, cardId: card.cardId, requestId: '' })
  // A tampered row is turned too, but keeps its wrong MAC: it is not to look right afterwards. And a row that is not ours tells nothing.
  const kept = isTrue ? await mac.seal(next) : next
  const note = noteOwnChange(kept, { at: now, action, outcome: isTrue ? outcome : 'tampered' })
  const riders = isTrue && isMissed(card) ? telling(null, cardEvent('card.expired', kept, now)) : null
  return (await store.changeCard(kept, note, riders)) === true
}

/** A window of one day, and the key of the day lives a day longer than its use. */
const limitsLifeMs = 48 * 3_600_000
const pageLength = 100
/** What one run turns at most; the next run goes on. */
const pagesMax = 100
