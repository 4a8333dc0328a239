import type { Pan } from '@tessera/contract/card'
import { RpcError } from '@tessera/contract/errors'
import type { Params } from '@tessera/contract/operations'
import { cardsCreateContract } from '@tessera/contract/operations/cards'

import type { AppServices } from '../app/services.ts'
import type { CreatedCard } from '../domain/cards/create.ts'
import { renderCard } from '../domain/cards/render.ts'
import { formSessionStateOf } from '../domain/form-sessions/state.ts'
import type { CardSource } from '../domain/limits/fine-limits.ts'
import type { RequestContext } from '../domain/request-context.ts'

import { operation } from './operation.ts'

/** Turns a card into a token of the calling merchant. The card number comes beside the params, as bytes. */
export const cardsCreate = operation(cardsCreateContract, {
  check: ({ card }, ctx, { cards }) => cards.validate(numberOf(ctx), card.expire),
  run: createCard,
  render: ({ card, token }, _params, { profile }) => ({ card: renderCard(card, token, profile) }),
})

async function createCard(params: Params<'cards.create'>, ctx: RequestContext<CreatedCard>, app: AppServices): Promise<CreatedCard> {
  const { form = null, session = null, consent = null } = params
  const formOf = form === null ? null : await app.served.originOf(ctx.merchantId, form)
  const input = {
    number: numberOf(ctx),
    expire: params.card.expire,
    save: params.save ?? false,
    customer: params.customer ?? null,
    account: params.account ?? null,
    consent: consentOf(consent, ctx, formOf !== null),
    count: (pan: Pan) => app.limits.fine.takePan(pan, placeOf(ctx)),
    admit: async () => {
      await app.disclosures.requireIssued(consent)
      const isServer = ctx.caller.as === 'server'
      const spent = await app.sessions.spend(session, { ...ctx.caller, isServer, from: ctx.origin, formOf })
      if (spent === null || session === null || spent.returnTo === null) return spent
      // Somebody else who has the link must not replace the payer's card with one of their own.
      if ((await formSessionStateOf(app, session, spent, ctx)).state === 'done') throw new RpcError('sessionUsedUp', { data: 'session' })
      return { ...spent, keepToken: (cardId: string, token: string) => app.hosted.keepToken(session, spent, { cardId, token }) }
    },
  }
  return app.cards.create(input, ctx)
}

/** What was agreed to, and who says so. */
function consentOf(consent: Params<'cards.create'>['consent'] | null, { caller, origin }: RequestContext, isForm: boolean): object | null {
  if (consent === null || consent === undefined) return null
  const way = isForm && origin !== null ? 'form' : 'page'
  return { ...consent, by: caller.as === 'server' ? 'server' : way }
}

function numberOf({ cardNumber }: RequestContext): Uint8Array {
  if (cardNumber === null) throw new RpcError('memberMissing', { data: 'card.number' })
  return cardNumber
}

function placeOf({ caller, merchantId, address }: RequestContext): CardSource {
  return { merchantId, address, isServer: caller.as === 'server', limits: caller.limits ?? null }
}
