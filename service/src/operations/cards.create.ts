import type { Pan } from '@tessera/contract/card'
import { RpcError } from '@tessera/contract/errors'
import type { Params } from '@tessera/contract/operations'
import { cardsCreateContract } from '@tessera/contract/operations/cards'

import { createCard, validateCard, type CreatedCard } from '../domain/cards/create.ts'
import { renderCard } from '../domain/cards/render.ts'
import { formSessionStateOf } from '../domain/form-sessions/state.ts'
import type { CardSource } from '../domain/limits/fine-limits.ts'
import type { RequestContext } from '../domain/request-context.ts'

import type { AppServices } from './app-services.ts'
import { operation } from './operation.ts'

/** Turns a card into a token of the calling merchant. The card number is not in the params but in the context, as bytes. */
export const cardsCreate = operation(cardsCreateContract, {
  check: ({ card }, ctx, { cards }) => validateCard(cards, requireCardNumber(ctx), card.expire),
  run: runCreate,
  render: ({ card, token }, _params, { profile }) => ({ card: renderCard(card, token, profile) }),
})

async function runCreate(params: Params<'cards.create'>, ctx: RequestContext<CreatedCard>, app: AppServices): Promise<CreatedCard> {
  const { form = null, session = null, consent = null } = params
  const formOrigin = form === null ? null : await app.formDocuments.originOf(ctx.merchantId, form)
  const input = {
    number: requireCardNumber(ctx),
    expire: params.card.expire,
    save: params.save ?? false,
    customer: params.customer ?? null,
    account: params.account ?? null,
    consent: consentWithSource(consent, ctx, formOrigin !== null),
    checkLimits: (pan: Pan) => app.limits.fine.countPan(pan, cardSourceOf(ctx)),
    useFormSession: async () => {
      await app.disclosures.requireIssued(consent)
      const isServer = ctx.caller.kind === 'server'
      const { actor, requestId, address, origin: from } = ctx
      const terms = await app.sessions.useAttempt(session, { ...ctx.caller, actor, requestId, address, isServer, from, formOrigin })
      if (terms === null || session === null || terms.returnTo === null) return terms
      // Others who have the link must not replace the payer's card.
      if ((await formSessionStateOf(app, session, terms, ctx)).state === 'done') throw new RpcError('sessionDone', { data: 'session' })
      return { ...terms, storeToken: (cardId: string, token: string) => app.hosted.storeToken(session, terms, { cardId, token }) }
    },
  }
  return createCard(app.cards, input, ctx)
}

/** The consent, with the party that sent it. */
function consentWithSource(
  consent: Params<'cards.create'>['consent'] | null,
  { caller, origin }: RequestContext,
  isForm: boolean,
): object | null {
  if (consent === null || consent === undefined) return null
  const sentBy = isForm && origin !== null ? 'form' : 'page'
  return { ...consent, by: caller.kind === 'server' ? 'server' : sentBy }
}

function requireCardNumber({ cardNumber }: RequestContext): Uint8Array {
  if (cardNumber === null) throw new RpcError('memberMissing', { data: 'card.number' })
  return cardNumber
}

function cardSourceOf({ caller, merchantId, address }: RequestContext): CardSource {
  return { merchantId, address, isServer: caller.kind === 'server', limits: caller.limits ?? null }
}
