import type { CardRow, ListedCard, Store } from '../store/store.ts'

/** A stored card that is not the one that the audit tells of. */
export interface CardFault {
  readonly cardId: string
  /** `putBack`: an older version than the newest that was audited. `notAudited`: a newer one, or none was. `altered`: another MAC. `broken`: it cannot be read. */
  readonly fault: 'putBack' | 'notAudited' | 'altered' | 'broken'
}

export interface CardsReport {
  readonly cards: number
  /** The first hundred. */
  readonly faults: readonly CardFault[]
}

type Asked = Pick<Store, 'countCardsByKey' | 'listCardsUnderKey' | 'findCard' | 'newestAuditOf'>

/**
 * Compares every card that still holds a sealed PAN with the newest version and row MAC in the audit: an old row put back whole has a right
 * MAC and is found here only.
 */
export async function verifyCards(store: Asked): Promise<CardsReport> {
  const faults: CardFault[] = []
  let cards = 0
  for (const { keyId } of await store.countCardsByKey()) {
    for await (const card of readCards(store, keyId)) {
      cards++
      const fault = 'brokenAt' in card ? 'broken' : await faultOfCard(store, card)
      if (fault !== null && faults.length < FAULTS_MAX) faults.push({ cardId: card.cardId, fault })
    }
  }
  return { cards, faults }
}

/** A card may change between the two looks: it is a fault only when it stays one. */
async function faultOfCard(store: Asked, first: CardRow): Promise<CardFault['fault'] | null> {
  let fault: CardFault['fault'] | null = null
  let card: CardRow | null = first
  for (let look = 0; look < LOOKS_MAX && card !== null; look++) {
    fault = compare(card, await store.newestAuditOf(card.cardId))
    if (fault === null) return null
    card = await store.findCard(card)
  }
  return card === null ? null : fault
}

function compare(card: CardRow, newest: { version: number; mac: Uint8Array } | null): CardFault['fault'] | null {
  if (newest === null || card.version > newest.version) return 'notAudited'
  if (card.version < newest.version) return 'putBack'
  return Buffer.compare(card.mac, newest.mac) === 0 ? null : 'altered'
}

async function* readCards(store: Asked, keyId: string): AsyncGenerator<ListedCard> {
  for (let after = ''; ;) {
    const page = await store.listCardsUnderKey(keyId, after, PAGE)
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    after = last.cardId
  }
}

const PAGE = 200
const LOOKS_MAX = 3
const FAULTS_MAX = 100
