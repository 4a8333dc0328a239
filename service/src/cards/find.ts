import { timingSafeEqual } from 'node:crypto'

import { RpcError } from '@tessera/contract/errors'
import { bucketOfId } from '@tessera/vault/id'
import { readToken, type ReadToken } from '@tessera/vault/token'

import type { CardRow } from '../store/store.ts'

import type { Asker } from './asker.ts'
import { isLive } from './life.ts'
import type { CardTools } from './tools.ts'

/** A live card of the asker's, with the half of its token that opens it. */
export interface FoundCard {
  readonly card: CardRow
  readonly secret: Uint8Array
}

/**
 * Finds the card that a token stands for. A token of another merchant, of another environment and of nobody are answered alike;
 * an id whose bucket is not the merchant's is unknown without a question to the store.
 */
export async function findCard(tools: CardTools, token: string, asker: Asker): Promise<FoundCard> {
  const read = readToken(token)
  if (read === null) throw new RpcError('tokenShape', { data: 'token' })
  const card = await cardOf(tools, read, asker)
  if (card === null || read.secret === null) throw new RpcError('cardNotFound')
  await expectLive(tools, card, asker)
  return { card, secret: read.secret }
}

/** Finds a live card of the asker's by its id: for those who point at it in a list and cannot open it. */
export async function findCardById(tools: CardTools, cardId: string, asker: Asker): Promise<{ readonly card: CardRow }> {
  const { bucket, merchantId } = asker
  const card = bucketOfId(cardId) === bucket ? await tools.store.findCard({ bucket, merchantId, cardId }) : null
  if (card === null) throw new RpcError('cardNotFound', { data: 'cardId' })
  await expectLive(tools, card, asker)
  return { card }
}

/** The card that a token stands for, whatever became of it; null for nobody's. For who asks how something ended, and opens nothing. */
export async function lookUpCard(tools: CardTools, token: string, asker: Asker): Promise<CardRow | null> {
  const read = readToken(token)
  read?.secret?.fill(0)
  const card = read === null ? null : await cardOf(tools, read, asker)
  if (card === null) return null
  if (!(await tools.mac.isTrue(card))) throw tampered(tools, card, asker)
  return card
}

async function cardOf({ store }: CardTools, read: ReadToken, { bucket, merchantId }: Asker): Promise<CardRow | null> {
  const card = read.bucket === bucket ? await store.findCard({ bucket, merchantId, cardId: read.cardId }) : null
  return card !== null && timingSafeEqual(read.hash, card.tokenHash) ? card : null
}

async function expectLive(tools: CardTools, card: CardRow, asker: Asker): Promise<void> {
  if (!(await tools.mac.isTrue(card))) throw tampered(tools, card, asker)
  if (card.state === 'removed') throw new RpcError('cardDeleted', { data: 'deleted' })
  if (!isLive(card, tools.clock.now())) throw new RpcError('cardEnded')
}

/** A row that was not written by us is never answered from. */
function tampered({ alarm }: CardTools, card: CardRow, { merchantId, requestId }: Asker): RpcError {
  alarm('row_tampered', { merchantId, cardId: card.cardId, requestId })
  return new RpcError('internalError', { data: requestId, cause: new RowTampered(`card ${card.cardId} has a wrong MAC`) })
}

/** A row that does not have the MAC of what it says: changed, or put there, by somebody without the keys. */
export class RowTampered extends Error {
  override readonly name = 'RowTampered'
}
