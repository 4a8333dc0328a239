import { RpcError } from '@tessera/contract/errors'

import type { Start } from '../dashboard/start.ts'
import type { RequestLists } from '../request-log/lists.ts'

import type { Row } from './method.ts'
import { isReplayable, replay, type ReplayGrid } from './replay.ts'

/** Makes a call of the request log once more; in the test environment alone. */
export function dashboardRequestsReplay(
  lists: RequestLists,
  { facts, clock }: Start,
  api: ReplayGrid,
): Row<'dashboard.requests.replay'>['run'] {
  return async ({ requestId }, call) => {
    if (facts.testing === null) throw new RpcError('testOnly')
    const { row, detail } = await lists.get(call.caller, requestId)
    if (!isReplayable(row.method)) throw new RpcError('requestNotReplayable')
    return replay(
      row.method,
      detail,
      { ...call, profile: row.profile },
      { api, testing: facts.testing, now: () => clock.moment().monotonicMs },
    )
  }
}
