import type { Result } from '@tessera/contract/methods'

import type { ListedDelivery } from '../dashboard/webhooks.ts'

/** A delivery as the dashboard shows it. */
export function showDelivery(delivery: ListedDelivery, url: string | null): Result<'dashboard.webhooks.delivery'>['delivery'] {
  const { eventId, endpointId, type, objectId, state, tries, dueAt, madeAt, settledAt } = delivery
  return { eventId, endpointId, url, type, objectId, state, tries, dueAt, madeAt, settledAt }
}
