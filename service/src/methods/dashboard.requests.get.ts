import { errors } from '@tessera/contract/errors'

import type { RequestLists } from '../request-log/lists.ts'

import type { Row } from './method.ts'
import { isReplayable } from './replay.ts'
import { showMembers, showRequest } from './request-shown.ts'

/** Tells one call. `hasSandbox`: whether there is anything to replay with. */
export function dashboardRequestsGet(lists: RequestLists, hasSandbox: boolean): Row<'dashboard.requests.get'>['run'] {
  return async ({ requestId }, { caller, language }) => {
    const { row, detail } = await lists.get(caller, requestId)
    const known = Object.values(errors).find(({ reason }) => reason === row.reason)
    return {
      entry: showRequest(row),
      ...{ bytes: row.bytes, data: detail.data, message: known?.text[language] ?? '', hint: known?.hint ?? '' },
      ...{ params: showMembers(detail.params), result: showMembers(detail.result) },
      replayable: hasSandbox && isReplayable(row.method),
    }
  }
}
