import { RpcError } from '@tessera/contract/errors'
import type { Language } from '@tessera/contract/profile'
import { SettingProblem } from '@tessera/contract/setting-problems'

import type { DashboardBrowser, RequestContext } from '../domain/request-context.ts'
import type { OwnAccount } from '../domain/users/dependencies.ts'

/** The signed-in user of a request. Refuses a request without one, which the authenticator should have refused. */
export function signedInActor({ caller, merchantId, requestId, actor, address }: RequestContext): OwnAccount {
  if (caller.user === undefined) throw new RpcError('signedOut')
  const { userId, sessionId } = caller.user
  return { merchantId, userId, sessionId, requestId, actor, address }
}

/** The browser of a request to the dashboard's endpoint. */
export function dashboardBrowser({ browser }: RequestContext): DashboardBrowser {
  if (browser === undefined) throw new RpcError('notFromDashboard')
  return browser
}

/** The result of an administrative action. If it was refused, throws the error with its text in the caller's language. */
export function expectAccepted<T extends object | null>(result: T | SettingProblem, { language }: { readonly language: Language }): T {
  if (!(result instanceof SettingProblem)) return result
  if (result.code === 'two_active_passwords') throw new RpcError('twoPasswordsLive')
  if (result.code === 'last_active_password') throw new RpcError('lastPassword')
  throw new RpcError('settingRefused', { data: result.describe(language) })
}
