import { place } from '../../app/router.ts'
import { RequestDetail } from './request-detail.tsx'
import { RequestList } from './request-list.tsx'

/** /dashboard/requests lists, /dashboard/requests/<id> tells one. */
export function RequestsPage() {
  const [requestId] = place.value.rest
  return requestId === undefined ? <RequestList /> : <RequestDetail requestId={requestId} />
}
