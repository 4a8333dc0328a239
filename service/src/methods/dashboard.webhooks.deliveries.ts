import type { WebhookDesk } from '../dashboard/webhooks.ts'

import { showDelivery } from './delivery-shown.ts'
import { readPlace, writePlace } from './keyset.ts'
import type { Row } from './method.ts'

/** Lists the merchant's deliveries, those of the newest events first. */
export function dashboardWebhooksDeliveries(desk: WebhookDesk): Row<'dashboard.webhooks.deliveries'>['run'] {
  return async ({ after, count = 25, state = null, type = null, endpointId = null }, { caller }) => {
    const asked = { state, type, endpointId, after: readPlace(after), count }
    const [{ deliveries, next }, urls] = await Promise.all([desk.list(caller, asked), desk.urls(caller.merchantId)])
    return { deliveries: deliveries.map((each) => showDelivery(each, urls.get(each.endpointId) ?? null)), next: writePlace(next) }
  }
}
