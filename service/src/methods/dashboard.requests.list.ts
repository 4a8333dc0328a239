import type { RequestLists } from '../request-log/lists.ts'

import { readPlace, writePlace } from './keyset.ts'
import type { Row } from './method.ts'
import { showRequest } from './request-shown.ts'

/** Lists the merchant's calls, newest first. */
export function dashboardRequestsList(lists: RequestLists): Row<'dashboard.requests.list'>['run'] {
  return async ({ after, count = 25, ...filter }, { caller }) => {
    const { requests, next } = await lists.list(caller, { ...filter, after: readPlace(after), count })
    return { requests: requests.map(showRequest), next: writePlace(next) }
  }
}
