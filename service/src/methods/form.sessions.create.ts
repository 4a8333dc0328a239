import type { CreatedFormSession, FormSessions } from '../form-sessions/form-sessions.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Gives a merchant's page leave to take cards with the hosted form. */
export function formSessionsCreate(sessions: FormSessions, pageOf: PageOf): Row<'form.sessions.create'>['run'] {
  return async ({ origin, customer = null, save, locale = null, attempts = attemptsByDefault, return: returnTo = null }, call) => {
    const render = ({ session, endsAt }: CreatedFormSession) => ({
      ...{ session, expires_at: endsAt },
      ...(returnTo === null ? {} : { page: pageOf({ merchantId: call.caller.merchantId, session, locale }) }),
    })
    return render(await sessions.create({ origin, customer, save, locale, attempts, returnTo }, askerOf(call, render)))
  }
}

/** The address of the hosted page: the merchant's public id in the query, the session behind the #, which no browser sends to a server (RFC 3986 §3.5). */
export type PageOf = (of: { readonly merchantId: string; readonly session: string; readonly locale: string | null }) => string

const attemptsByDefault = 3
