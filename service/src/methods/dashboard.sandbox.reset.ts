import { RpcError } from '@tessera/contract/errors'

import type { Reset } from '../dashboard/reset.ts'

import type { Row } from './method.ts'
import { doerOf } from './signed-in.ts'

/** Empties what the caller's merchant has rehearsed; its id is typed, so that nobody empties another by a slip. */
export function dashboardSandboxReset(reset: Reset | null): Row<'dashboard.sandbox.reset'>['run'] {
  return async ({ merchantId }, call) => {
    if (reset === null) throw new RpcError('testOnly')
    if (merchantId !== call.caller.merchantId) throw new RpcError('settingRefused', { data: 'Type the id of your own merchant.' })
    return reset(call.caller, doerOf(call))
  }
}
