import { errors, RpcError } from '@tessera/contract/errors'
import {
  dashboardRequestsGetContract,
  dashboardRequestsListContract,
  dashboardRequestsReplayContract,
} from '@tessera/contract/operations/dashboard-requests'

import { formatCursor, readCursor } from './cursor.ts'
import { operation } from './operation.ts'
import { isReplayable, replay } from './replay.ts'
import { toMembers, toRequestEntry } from './request-entry.ts'

/** Lists the merchant's API requests, newest first. */
export const dashboardRequestsList = operation(dashboardRequestsListContract, {
  async run({ after, count = 25, ...filter }, ctx, { requestLists }) {
    const { requests, next } = await requestLists.list(ctx, { ...filter, after: readCursor(after), count })
    return { requests: requests.map(toRequestEntry), next: formatCursor(next) }
  },
})

/** Returns one API request. */
export const dashboardRequestsGet = operation(dashboardRequestsGetContract, {
  async run({ requestId }, ctx, { requestLists, startPage }) {
    const { row, detail } = await requestLists.get(ctx, requestId)
    const known = Object.values(errors).find(({ reason }) => reason === row.reason)
    return {
      entry: toRequestEntry(row),
      bytes: row.bytes,
      data: detail.data,
      message: known?.text[ctx.language] ?? '',
      hint: known?.hint ?? '',
      params: toMembers(detail.params),
      result: toMembers(detail.result),
      replayable: startPage.facts.testing !== null && isReplayable(row.method),
    }
  },
})

/** Repeats a request of the request log. Test environment only. */
export const dashboardRequestsReplay = operation(dashboardRequestsReplayContract, {
  async run({ requestId }, ctx, app) {
    const { testing } = app.startPage.facts
    if (testing === null) throw new RpcError('testOnly')
    const { row, detail } = await app.requestLists.get(ctx, requestId)
    if (!isReplayable(row.method)) throw new RpcError('requestNotReplayable')
    return replay(row.method, detail, { ...ctx, profile: row.profile }, { app, testing, now: () => app.clock.moment().monotonicMs })
  },
})
