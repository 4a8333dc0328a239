import type { CreatedFormSession, FormSessions } from '../form-sessions/form-sessions.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Gives a merchant's page leave to take cards with the hosted form. */
export function formSessionsCreate(sessions: FormSessions): Row<'form.sessions.create'>['run'] {
  return async ({ origin, customer = null, save, locale = null, attempts = attemptsByDefault }, call) => {
    const render = ({ session, endsAt }: CreatedFormSession) => ({ session, expires_at: endsAt })
    return render(await sessions.create({ origin, customer, save, locale, attempts }, askerOf(call, render)))
  }
}

const attemptsByDefault = 3
