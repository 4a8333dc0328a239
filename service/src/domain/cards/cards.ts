import type { Pan } from '@tessera/contract/card'
import { makeFindRoute } from '@tessera/contract/route'
import { openPan } from '@tessera/vault/seal'
import { makeRowAuthenticator } from '@tessera/vault/rowmac'

import { type CardRow, cardsTable } from '../../store/cards.ts'

import type { RequestContext } from '../request-context.ts'
import { createCard, validateCard, type NewCardInput, type CreatedCard } from './create.ts'
import { requireLiveCard, requireLiveCardById, findCardByToken, type LiveCard } from './find.ts'
import { verifiedCard } from './lifecycle.ts'
import { removeCard } from './remove.ts'
import type { CardDependencies, CardServices } from './services.ts'

/** The cards of all merchants: create, find by token, open the number for a card network, remove. */
export interface Cards {
  create(input: NewCardInput, ctx: RequestContext<CreatedCard>): Promise<CreatedCard>
  /** Throws the error that `create` would throw for this number (ASCII bytes, wiped by the caller) and expiry. Stores nothing. */
  validate(number: Uint8Array, expire: string): void
  /** The live card of a token. Throws the API error for a token without a live card of this merchant. */
  requireLive(token: string, ctx: RequestContext): Promise<LiveCard>
  /** The card of a token in any state; null for an unknown token. */
  findInAnyState(token: string, ctx: RequestContext): Promise<CardRow | null>
  /** Opens the PAN, calls `use`, and wipes it afterwards. */
  usePan<T>(live: LiveCard, use: (pan: Pan) => Promise<T>): Promise<T>
  /** The row of the card when verified at `now`, with its MAC. */
  toVerified(card: CardRow, now: number): Promise<CardRow>
  remove(token: string, ctx: RequestContext<'removed'>): Promise<void>
  /** Removes by card id, for dashboard users, who have no tokens. */
  removeById(cardId: string, ctx: RequestContext<'removed'>): Promise<void>
}

export function makeCards(deps: CardDependencies): Cards {
  const mac = makeRowAuthenticator(deps.keyring, deps.environment, cardsTable)
  const services: CardServices = { ...deps, mac, findRoute: makeFindRoute(deps.network.routes) }
  return Object.freeze({
    create: (input: NewCardInput, ctx: RequestContext<CreatedCard>) => createCard(services, input, ctx),
    validate: (number: Uint8Array, expire: string) => validateCard(services, number, expire),
    requireLive: (token: string, ctx: RequestContext) => requireLiveCard(services, token, ctx),
    findInAnyState: (token: string, ctx: RequestContext) => findCardByToken(services, token, ctx),
    usePan: <T>(live: LiveCard, use: (pan: Pan) => Promise<T>) => usePan(services, live, use),
    toVerified: (card: CardRow, now: number) => mac.seal(verifiedCard(deps.settings, card, now)),
    remove: (token: string, ctx: RequestContext<'removed'>) => removeCard(services, () => requireLiveCard(services, token, ctx), ctx),
    removeById: (cardId: string, ctx: RequestContext<'removed'>) =>
      removeCard(services, () => requireLiveCardById(services, cardId, ctx), ctx),
  })
}

async function usePan<T>({ keyring, environment }: CardServices, live: LiveCard, use: (pan: Pan) => Promise<T>): Promise<T> {
  const { keyId, blob, merchantId, cardId } = live.card
  const dek = await keyring.byId(keyId)
  const pan = openPan(blob, live.secret, dek, { environment, merchantId, cardId })
  try {
    return await use(pan)
  } finally {
    pan.wipe()
  }
}
