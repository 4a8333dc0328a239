import type { Controls } from '../dashboard/controls.ts'
import type { Dashboard } from '../dashboard/dashboard.ts'
import type { MerchantBook } from '../merchants/book.ts'

import { maskPhone } from './mask-phone.ts'
import type { Row } from './method.ts'
import { visitorOf } from './signed-in.ts'

/** Tells who is signed in; the CSRF word with it, which only a page of this origin can read. */
export function dashboardSessionGet(
  { sessions, environment }: Dashboard,
  merchants: MerchantBook,
  controls: Pick<Controls, 'offsetMs'> | null,
): Row<'dashboard.session.get'>['run'] {
  return async (_params, call) => {
    const live = await sessions.find(visitorOf(call).cookie)
    if (live === null) return { session: null }
    const { session, user } = live
    const { userId, merchantId, role, mustChange, totp } = user
    const merchant = await merchants.find(merchantId)
    return {
      session: {
        ...{ csrf: session.csrf, userId, phone: maskPhone(user.phone), role, merchantId, merchantName: merchant?.row.name ?? '' },
        environment: environment === 'production' ? 'production' : 'test',
        ...{ mustChangePassword: mustChange, totp: totp !== null },
        clockOffsetMs: controls?.offsetMs() ?? 0,
      },
    }
  }
}
