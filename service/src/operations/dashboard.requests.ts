import { errors, RpcError } from '@tessera/contract/errors'
import type { Result } from '@tessera/contract/operations'
import {
  dashboardRequestsGetContract,
  dashboardRequestsListContract,
  dashboardRequestsReplayContract,
} from '@tessera/contract/operations/dashboard-requests'

import type { RequestRow } from '../ops/request-log/request-row.ts'

import { formatCursor, readCursor } from './dashboard-values.ts'
import { operation } from './operation.ts'
import { isReplayable, replay, toMembers } from './replay.ts'

/** Lists the merchant's API requests, newest first. */
export const dashboardRequestsList = operation(dashboardRequestsListContract, {
  async run({ after, count = 25, address, ...filter }, ctx, { requestLists }) {
    const ofAddress = address === undefined ? {} : { addressClass: address }
    const { requests, next } = await requestLists.list(ctx, { ...filter, ...ofAddress, after: readCursor(after), count })
    return { requests: requests.map(toRequestEntry), next: formatCursor(next) }
  },
})

/** Returns one API request. */
export const dashboardRequestsGet = operation(dashboardRequestsGetContract, {
  async run({ requestId }, ctx, { requestLists, startPage }) {
    const row = await requestLists.get(ctx, requestId)
    const { detail } = row
    const known = Object.values(errors).find(({ reason }) => reason === row.reason)
    return {
      entry: toRequestEntry(row),
      bytes: row.bytes,
      data: detail.data,
      message: known?.text[ctx.language] ?? '',
      hint: known?.hint ?? '',
      params: toMembers(detail.params),
      result: toMembers(detail.result),
      replayable: startPage.details.testing !== null && isReplayable(row.method),
    }
  },
})

/** Repeats a request of the request log. Test environment only. */
export const dashboardRequestsReplay = operation(dashboardRequestsReplayContract, {
  async run({ requestId }, ctx, app) {
    const { testing } = app.startPage.details
    if (testing === null) throw new RpcError('testOnly')
    const row = await app.requestLists.get(ctx, requestId)
    if (!isReplayable(row.method)) throw new RpcError('requestNotReplayable')
    return replay(row.method, row.detail, { ...ctx, profile: row.profile }, { app, testing, now: () => app.clock.moment().monotonicMs })
  },
})

type RequestEntry = Result<'dashboard.requests.list'>['requests'][number]

/** A call of the request log, for the dashboard. */
export function toRequestEntry(row: RequestRow): RequestEntry {
  const { requestId, at, method, profile, code, reason, micros, caller, cardId, addressClass, lost, lostFrom } = row
  return {
    requestId,
    at,
    method: method === '' ? null : method,
    profile,
    code,
    reason,
    ms: micros / 1000,
    caller,
    cardId,
    address: addressClass === '' ? null : addressClass,
    lost: lost === 0 ? null : { count: lost, from: lostFrom },
  }
}
