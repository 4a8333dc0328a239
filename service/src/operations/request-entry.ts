import type { Result } from '@tessera/contract/operations'

import type { RequestDetail, RequestRow } from '../ops/request-log/request-lists.ts'

type RequestEntry = Result<'dashboard.requests.list'>['requests'][number]
type RequestMembers = Result<'dashboard.requests.get'>['params']

/** A call of the request log, for the dashboard. */
export function toRequestEntry(row: RequestRow): RequestEntry {
  const { requestId, at, method, profile, code, reason, micros, caller, cardId, lost, lostFrom } = row
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
    lost: lost === 0 ? null : { count: lost, from: lostFrom },
  }
}

export function toMembers({ list, more }: RequestDetail['params']): RequestMembers {
  return { list: list.map((member) => ({ ...member })), more }
}
