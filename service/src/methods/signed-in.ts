import { RpcError } from '@tessera/contract/errors'

import type { Doer, Own } from '../dashboard/parts.ts'

import type { Call, Visitor } from './method.ts'

/** The user of a call at the dashboard's door. The gate has let in nobody else; should it have, the call is refused. */
export function ownOf({ caller, requestId }: Call): Own {
  if (caller.user === undefined) throw new RpcError('signedOut')
  const { userId, sessionId } = caller.user
  return { merchantId: caller.merchantId, userId, sessionId, requestId }
}

/** For the audit. */
export function doerOf(call: Call): Doer {
  return { actor: `user:${ownOf(call).userId}`, requestId: call.requestId }
}

/** The cookies of the request and its reply. */
export function visitorOf({ visitor }: Call): Visitor {
  if (visitor === undefined) throw new RpcError('notFromDashboard')
  return visitor
}
