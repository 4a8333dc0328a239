import type { WebhookDesk } from '../dashboard/webhooks.ts'

import { showDelivery } from './delivery-shown.ts'
import type { Row } from './method.ts'

/** Tells one delivery with its body and every attempt, the newest first. */
export function dashboardWebhooksDelivery(desk: WebhookDesk): Row<'dashboard.webhooks.delivery'>['run'] {
  return async (key, { caller }) => {
    const { delivery, url, body, attempts } = await desk.get(caller, key)
    return {
      delivery: showDelivery(delivery, url),
      body,
      attempts: attempts.map(({ number, at, tookMs, outcome, status }) => ({ number, at, tookMs, outcome, status })),
    }
  }
}
