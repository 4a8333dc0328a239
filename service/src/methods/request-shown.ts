import type { Result } from '@tessera/contract/methods'

import type { RequestDetail, RequestRow } from '../request-log/lists.ts'

type Entry = Result<'dashboard.requests.list'>['requests'][number]
type Members = Result<'dashboard.requests.get'>['params']

/** A call of the request log as the dashboard is told of it. */
export function showRequest(row: RequestRow): Entry {
  const { requestId, at, method, profile, code, reason, micros, caller, cardId, lost, lostFrom } = row
  return {
    ...{ requestId, at, method: method === '' ? null : method, profile, code, reason, ms: micros / 1000, caller, cardId },
    lost: lost === 0 ? null : { count: lost, from: lostFrom },
  }
}

export function showMembers({ list, more }: RequestDetail['params']): Members {
  return { list: list.map((member) => ({ ...member })), more }
}
