import { timingSafeEqual } from 'node:crypto'

import type { Pan } from '@tessera/contract/card'
import { RpcError } from '@tessera/contract/errors'
import { bucketOfId } from '@tessera/vault/id'
import { openPan } from '@tessera/vault/seal'
import { parseToken, parseTokenKey, type CardTokenKey } from '@tessera/vault/token'

import { whenDone, type Awaitable } from '../../awaitable.ts'
import { type CardRow, findCard } from '../../store/cards.ts'

import type { RequestContext } from '../request-context.ts'
import { isLive } from './lifecycle.ts'
import type { CardServices } from './services.ts'

/** A live card of the caller, with the secret part of its token, which opens the number. */
export interface LiveCard {
  readonly card: CardRow
  readonly secret: Uint8Array
}

/**
 * The live card of a token. Unknown tokens and tokens of another merchant or environment get the same error. An id whose bucket is not the
 * merchant's is unknown without a query.
 */
export async function requireLiveCard(services: CardServices, token: string, ctx: RequestContext): Promise<LiveCard> {
  const read = parseToken(token)
  const card = await requireLive(services, read, ctx)
  if (read === null || read.secret === null) throw new RpcError('cardNotFound')
  return { card, secret: read.secret }
}

/** The same for calls that do not open its number. */
export function requireLiveCardRow(services: CardServices, token: string, ctx: RequestContext): Awaitable<CardRow> {
  return requireLive(services, parseTokenKey(token), ctx)
}

function requireLive(services: CardServices, key: CardTokenKey | null, ctx: RequestContext): Awaitable<CardRow> {
  if (key === null) throw new RpcError('tokenShape', { data: 'token' })
  return whenDone(findOwnCard(services, key, ctx), (card) => {
    if (card === null) throw new RpcError('cardNotFound')
    return whenDone(assertLive(services, card, ctx), () => card)
  })
}

/** The live card of an id, for dashboard users. Without a token its number cannot be opened. */
export async function requireLiveCardById(
  services: CardServices,
  cardId: string,
  ctx: RequestContext,
): Promise<{ readonly card: CardRow }> {
  const { bucket, merchantId } = ctx
  const card = bucketOfId(cardId) === bucket ? await services.store.read(findCard({ bucket, merchantId, cardId })) : null
  if (card === null) throw new RpcError('cardNotFound', { data: 'cardId' })
  await assertLive(services, card, ctx)
  return { card }
}

/** The card of a token in any state, or null. For finding out an outcome; does not open the number. */
export async function findCardByToken(services: CardServices, token: string, ctx: RequestContext): Promise<CardRow | null> {
  const key = parseTokenKey(token)
  const card = key === null ? null : await findOwnCard(services, key, ctx)
  if (card === null) return null
  await services.rows.require(card, ctx.requestId)
  return card
}

/** Opens the PAN of a card, calls `use`, and wipes it afterwards. */
export async function usePan<T>({ keyring, environment }: CardServices, live: LiveCard, use: (pan: Pan) => Promise<T>): Promise<T> {
  const { keyId, blob, merchantId, cardId } = live.card
  const dek = await keyring.byId(keyId)
  const pan = openPan(blob, live.secret, dek, { environment, merchantId, cardId })
  try {
    return await use(pan)
  } finally {
    pan.wipe()
  }
}

function findOwnCard({ store }: CardServices, key: CardTokenKey, { bucket, merchantId }: RequestContext): Awaitable<CardRow | null> {
  if (key.bucket !== bucket) return null
  return whenDone(store.readNow(findCard({ bucket, merchantId, cardId: key.cardId })), (card) =>
    card !== null && timingSafeEqual(key.hash, card.tokenHash) ? card : null,
  )
}

function assertLive(services: CardServices, card: CardRow, ctx: RequestContext): Awaitable<void> {
  return whenDone(services.rows.require(card, ctx.requestId), () => {
    if (card.state === 'removed') throw new RpcError('cardDeleted', { data: 'deleted' })
    if (!isLive(card, services.clock.now())) throw new RpcError('cardEnded')
  })
}
