import type { Pan } from '@tessera/contract/card'
import { makeFindRoute } from '@tessera/contract/route'
import { openPan } from '@tessera/vault/seal'

import type { CardRow } from '../store/store.ts'

import type { Asker } from './asker.ts'
import { createCard, expectCard, type AskedCard, type CreatedCard } from './create.ts'
import { findCard, findCardById, lookUpCard, type FoundCard } from './find.ts'
import { verifiedCard } from './life.ts'
import { makeCardMac } from './mac.ts'
import { removeCard } from './remove.ts'
import type { CardParts, CardTools } from './tools.ts'

/** The cards of all merchants: made, found by their tokens, opened for a network, removed. */
export interface Cards {
  create(asked: AskedCard, asker: Asker<CreatedCard>): Promise<CreatedCard>
  /** Throws what is wrong with a number (ASCII bytes, which the caller wipes) or an expiry that `create` would take. */
  expectCard(number: Uint8Array, expire: string): void
  /** Throws what the wire says of a token that stands for no live card of the asker's. */
  find(token: string, asker: Asker): Promise<FoundCard>
  /** The card of a token whatever became of it, removed or ended; null for a token of nobody's. */
  lookUp(token: string, asker: Asker): Promise<CardRow | null>
  /** Opens the PAN for as long as `use` takes, and wipes it. */
  usePan<T>(found: FoundCard, use: (pan: Pan) => Promise<T>): Promise<T>
  /** What the card will be when it is verified now, MAC and all. */
  asVerified(card: CardRow, now: number): Promise<CardRow>
  remove(token: string, asker: Asker<'removed'>): Promise<void>
  /** The same by the card's id, for the merchant's people, who have no tokens. */
  removeById(cardId: string, asker: Asker<'removed'>): Promise<void>
}

export function makeCards(parts: CardParts): Cards {
  const mac = makeCardMac(parts.keyring, parts.environment)
  const tools: CardTools = { ...parts, mac, findRoute: makeFindRoute(parts.network.routes) }
  return Object.freeze({
    create: (asked: AskedCard, asker: Asker<CreatedCard>) => createCard(tools, asked, asker),
    expectCard: (number: Uint8Array, expire: string) => expectCard(tools, number, expire),
    find: (token: string, asker: Asker) => findCard(tools, token, asker),
    lookUp: (token: string, asker: Asker) => lookUpCard(tools, token, asker),
    usePan: <T>(found: FoundCard, use: (pan: Pan) => Promise<T>) => usePan(tools, found, use),
    asVerified: (card: CardRow, now: number) => mac.seal(verifiedCard(parts.figures, card, now)),
    remove: (token: string, asker: Asker<'removed'>) => removeCard(tools, () => findCard(tools, token, asker), asker),
    removeById: (cardId: string, asker: Asker<'removed'>) => removeCard(tools, () => findCardById(tools, cardId, asker), asker),
  })
}

async function usePan<T>({ keyring, environment }: CardTools, found: FoundCard, use: (pan: Pan) => Promise<T>): Promise<T> {
  const { keyId, blob, merchantId, cardId } = found.card
  const dek = await keyring.byId(keyId)
  const pan = openPan(blob, found.secret, dek, { environment, merchantId, cardId })
  try {
    return await use(pan)
  } finally {
    pan.wipe()
  }
}
