import { formSessionsCreateContract } from '@tessera/contract/operations/form-sessions'

import type { CreatedFormSession } from '../domain/form-sessions/form-sessions.ts'

import { operation } from './operation.ts'

/** Creates a form session, with which a page of the merchant may take cards through the form. */
export const formSessionsCreate = operation(formSessionsCreateContract, {
  run({ origin, customer = null, save, locale = null, attempts = defaultAttempts, return: returnTo = null, ...shown }, ctx, { sessions }) {
    const { amount: amountTiyin = null, order = null, cards } = shown
    return sessions.create({ origin, customer, save, locale, attempts, returnTo, amountTiyin, order, cards: cards ?? [] }, ctx)
  },
  render({ session, endsAt }: CreatedFormSession, { locale = null, return: returnTo = null }, { merchantId }, { pageOf }) {
    const result = { session, expires_at: endsAt }
    return returnTo === null ? result : { ...result, page: pageOf({ merchantId, session, locale }) }
  },
})

const defaultAttempts = 3
