import { RpcError } from '@tessera/contract/errors'

import type { DashboardBrowser, RequestContext } from '../domain/request-context.ts'
import type { OwnAccount } from '../domain/users/dependencies.ts'

/** The signed-in user of a request. Refuses a request without one, which the authenticator should have refused. */
export function signedInActor({ caller, merchantId, requestId, actor }: RequestContext): OwnAccount {
  if (caller.user === undefined) throw new RpcError('signedOut')
  const { userId, sessionId } = caller.user
  return { merchantId, userId, sessionId, requestId, actor }
}

/** The browser of a request to the dashboard's endpoint. */
export function dashboardBrowser({ browser }: RequestContext): DashboardBrowser {
  if (browser === undefined) throw new RpcError('notFromDashboard')
  return browser
}
