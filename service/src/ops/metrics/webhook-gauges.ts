import type { Clock } from '../../clock.ts'
import type { WebhookDeliverer } from '../../domain/webhooks/webhooks.ts'
import { findOldestDue } from '../../store/delivery-claims.ts'
import type { Store } from '../../store/store.ts'

import type { GaugeDefinition } from './metric.ts'

/** What operators watch of deliveries to merchants. The number that waits is `tessera_outbox_depth`. */
export function webhookGauges(
  webhooks: Pick<WebhookDeliverer, 'stats'>,
  { store, clock }: { readonly store: Pick<Store, 'read'>; readonly clock: Clock },
): GaugeDefinition[] {
  return [
    {
      name: 'tessera_webhook_attempts_in_flight',
      help: 'Deliveries to webhook endpoints in progress.',
      read: () => webhooks.stats().inFlight,
    },
    {
      name: 'tessera_webhook_endpoints_down',
      help: 'Webhook endpoints that do not answer and are probed by one delivery at a time.',
      read: () => webhooks.stats().endpointsDown,
    },
    {
      name: 'tessera_webhook_oldest_due_seconds',
      help: 'How long the delivery that has been due longest has been due: 0 without one. Endpoints that are down count.',
      async read() {
        const now = clock.now()
        const dueAt = await store.read(findOldestDue(now))
        return dueAt === null ? 0 : (now - dueAt) / 1000
      },
    },
  ]
}
