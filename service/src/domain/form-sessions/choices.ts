import { expiryEndsAt } from '@tessera/contract/card'
import { RpcError } from '@tessera/contract/errors'
import { bucketOfId } from '@tessera/vault/id'

import type { RequestContext } from '../request-context.ts'
import { isLive } from '../cards/lifecycle.ts'
import type { CardServices } from '../cards/services.ts'
import { type CardRow, findCard } from '../../store/cards.ts'
import type { FormSessionRow } from '../../store/form-sessions.ts'

import type { FormSessionRows } from './rows.ts'
import { formSessionStateOf, type FormSessionStateDependencies } from './state.ts'

/** A saved card that a session offers to choose from. */
export interface OfferedCard {
  readonly card: CardRow
  /** An expired card can be removed, not picked. */
  readonly isExpired: boolean
}

/** What the payer does with an offered card. */
export interface CardChoice {
  readonly cardId: string
  readonly action: 'pick' | 'remove'
}

/**
 * The cards that a session offers, in the merchant's order. A card is left out while it is not a verified, saved, live card of this merchant, when it
 * belongs to another customer than the session, and once its removal was asked for: ids of cards that are gone do not stop a payment.
 */
export async function offeredCards(
  { cards, clock }: FormSessionStateDependencies,
  session: FormSessionRow,
  ctx: RequestContext,
): Promise<readonly OfferedCard[]> {
  const now = clock.now()
  const removals = readIds(session.removals)
  const offered = readIds(session.cards).filter((cardId) => !removals.includes(cardId))
  const found = await Promise.all(offered.map((cardId) => findOwnCard(cards, cardId, ctx)))
  return found.flatMap((card) =>
    card === null || !isOffered(card, session, now)
      ? []
      : [{ card, isExpired: card.state === 'expired' || expiryEndsAt(card.expiry) <= now }],
  )
}

/**
 * Records a choice. The first picked card completes the session, and the same one again changes nothing. Throws `cardNotFound` for a card that the
 * session does not offer, `cardExpired`, `sessionEnded`, and `sessionDone` when the session has another result.
 */
export async function recordChoice(
  deps: FormSessionStateDependencies & { readonly formSessionRows: FormSessionRows },
  session: string,
  { cardId, action }: CardChoice,
  ctx: RequestContext,
): Promise<FormSessionRow> {
  const { actor, requestId, address } = ctx
  const row = await deps.formSessionRows.find(session, ctx)
  if (isRecorded(row, { cardId, action })) return row
  const { state } = await formSessionStateOf(deps, session, row, ctx)
  if (state === 'done') throw new RpcError('sessionDone', { data: 'session' })
  if (state !== 'open') throw new RpcError('sessionEnded', { data: 'session' })
  const offered = (await offeredCards(deps, row, ctx)).find(({ card }) => card.cardId === cardId)
  if (offered === undefined) throw new RpcError('cardNotFound', { data: 'id' })
  if (action === 'pick' && offered.isExpired) throw new RpcError('cardExpired', { data: 'id' })
  return deps.formSessionRows.change(session, ctx, (current) => {
    if (isRecorded(current, { cardId, action })) return null
    const at = deps.clock.now()
    if (current.endsAt <= at || current.cancelledAt > 0) throw new RpcError('sessionEnded', { data: 'session' })
    if (current.picked !== '') throw new RpcError('sessionDone', { data: 'session' })
    const audit = { at, actor, requestId, address, action: actions[action], outcome: 'done' }
    return { to: action === 'pick' ? { picked: cardId } : { removals: [...readIds(current.removals), cardId].join(' ') }, audit }
  })
}

/** Ids in a column, separated by blanks. */
export function readIds(column: string): readonly string[] {
  return column === '' ? [] : column.split(' ')
}

function isRecorded({ picked, removals }: FormSessionRow, { cardId, action }: CardChoice): boolean {
  return action === 'pick' ? picked === cardId : readIds(removals).includes(cardId)
}

/** An id whose bucket is not the merchant's is unknown without a query. */
async function findOwnCard({ store, rows }: CardServices, cardId: string, ctx: RequestContext): Promise<CardRow | null> {
  const { bucket, merchantId, requestId } = ctx
  const card = bucketOfId(cardId) === bucket ? await store.read(findCard({ bucket, merchantId, cardId })) : null
  if (card !== null) await rows.require(card, requestId)
  return card
}

function isOffered(card: CardRow, { customer }: FormSessionRow, now: number): boolean {
  const isOfCustomer = customer === null || card.customer === null || card.customer === customer
  return card.verified && card.recurrent && isOfCustomer && isLive(card, now)
}

const actions = { pick: 'form_session.picked', remove: 'form_session.removal_asked' } as const
