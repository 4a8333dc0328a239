import type { Dashboard } from '../dashboard/dashboard.ts'

import type { Row } from './method.ts'
import { visitorOf } from './signed-in.ts'

/** Signs in; the session's text goes into the cookie alone. */
export function dashboardSessionSignIn(dashboard: Dashboard): Row<'dashboard.session.signIn'>['run'] {
  return async ({ phone, password, code = null }, call) => {
    const visitor = visitorOf(call)
    const { address, requestId } = call
    const signed = await dashboard.signIn({ phone, password, code, userAgent: visitor.userAgent, address, requestId })
    if ('needs' in signed) return signed
    visitor.keepCookie(signed.session)
    return { needs: null }
  }
}
