import type { Pan } from '@tessera/contract/card'
import { RpcError } from '@tessera/contract/errors'

import type { Cards } from '../cards/cards.ts'
import type { CreatedCard } from '../cards/create.ts'
import { renderCard } from '../cards/render.ts'
import type { FormSessions } from '../form-sessions/form-sessions.ts'
import type { CardPlace, FineLimits } from '../limits/fine.ts'

import { askerOf } from './asker.ts'
import type { Call, Row } from './method.ts'

/** Turns a card into a token of the calling merchant. The card number comes beside the params, as bytes. */
export function cardsCreate(cards: Cards, limits: FineLimits, sessions: FormSessions): Row<'cards.create'>['run'] {
  return async (params, call) => {
    const asked = {
      number: numberOf(call),
      expire: params.card.expire,
      save: params.save ?? false,
      customer: params.customer ?? null,
      account: params.account ?? null,
      consent: params.consent ?? null,
      count: (pan: Pan) => limits.takePan(pan, placeOf(call)),
      admit: () => sessions.spend(params.session ?? null, { ...call.caller, isServer: call.caller.as === 'server' }),
    }
    const render = ({ card, token }: CreatedCard) => ({ card: renderCard(card, token, call.profile) })
    return render(await cards.create(asked, askerOf(call, render)))
  }
}

/** The card itself, before an idempotency key is looked at. */
export function checkCardsCreate(cards: Cards): NonNullable<Row<'cards.create'>['check']> {
  return ({ card }, call) => cards.expectCard(numberOf(call), card.expire)
}

function numberOf({ cardNumber }: Call): Uint8Array {
  if (cardNumber === null) throw new RpcError('memberMissing', { data: 'card.number' })
  return cardNumber
}

function placeOf({ caller, address }: Call): CardPlace {
  return { merchantId: caller.merchantId, address, isServer: caller.as === 'server', limits: caller.limits ?? null }
}
