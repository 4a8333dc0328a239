import type { Pan } from '@tessera/contract/card'
import { RpcError } from '@tessera/contract/errors'
import type { Params } from '@tessera/contract/methods'

import type { Cards } from '../cards/cards.ts'
import type { CreatedCard } from '../cards/create.ts'
import { renderCard } from '../cards/render.ts'
import type { Clock } from '../clock.ts'
import type { Disclosures } from '../consents/disclosures.ts'
import type { FormSessions } from '../form-sessions/form-sessions.ts'
import type { HostedSessions } from '../form-sessions/hosted.ts'
import { stateOf } from '../form-sessions/state.ts'
import type { ServedForms } from '../form-sessions/served.ts'
import type { CardPlace, FineLimits } from '../limits/fine.ts'

import { askerOf } from './asker.ts'
import type { Call, Row } from './method.ts'

/** Turns a card into a token of the calling merchant. The card number comes beside the params, as bytes. */
export function cardsCreate(
  cards: Cards,
  limits: FineLimits,
  { sessions, hosted, clock, disclosures, served }: Admission,
): Row<'cards.create'>['run'] {
  return async (params, call) => {
    const { form = null } = params
    const formOf = form === null ? null : await served.originOf(call.caller.merchantId, form)
    const asked = {
      number: numberOf(call),
      expire: params.card.expire,
      save: params.save ?? false,
      customer: params.customer ?? null,
      account: params.account ?? null,
      consent: consentOf(params.consent ?? null, call, formOf !== null),
      count: (pan: Pan) => limits.takePan(pan, placeOf(call)),
      admit: async () => {
        await disclosures.expectIssued(params.consent ?? null)
        const { session = null } = params
        const isServer = call.caller.as === 'server'
        const spent = await sessions.spend(session, { ...call.caller, isServer, from: call.origin, formOf })
        if (spent === null || session === null || spent.returnTo === null) return spent
        // Whoever has the link may not put a card of his own in the place of the payer's.
        if ((await stateOf({ hosted, cards, clock }, session, spent, askerOf(call))).state === 'done')
          throw new RpcError('sessionUsedUp', { data: 'session' })
        return { ...spent, keepToken: (cardId: string, token: string) => hosted.keepToken(session, spent, { cardId, token }) }
      },
    }
    const render = ({ card, token }: CreatedCard) => ({ card: renderCard(card, token, call.profile) })
    return render(await cards.create(asked, askerOf(call, render)))
  }
}

interface Admission {
  readonly sessions: FormSessions
  readonly hosted: HostedSessions
  readonly clock: Pick<Clock, 'now'>
  readonly disclosures: Pick<Disclosures, 'expectIssued'>
  readonly served: Pick<ServedForms, 'originOf'>
}

/** What was agreed to, and by whose word. */
function consentOf(consent: Params<'cards.create'>['consent'] | null, { caller, origin }: Call, isForm: boolean): object | null {
  if (consent === null || consent === undefined) return null
  const way = isForm && origin !== null ? 'form' : 'page'
  return { ...consent, by: caller.as === 'server' ? 'server' : way }
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
