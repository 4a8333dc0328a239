import type { WebhookDesk } from '../dashboard/webhooks.ts'

import { expectDone } from './merchant-deed.ts'
import type { Row } from './method.ts'
import { doerOf } from './signed-in.ts'

/** Removes an endpoint; what waits for it is given up. */
export function dashboardWebhooksRemove({ endpoints }: WebhookDesk): Row<'dashboard.webhooks.remove'>['run'] {
  return async ({ endpointId }, call) => {
    expectDone(await endpoints.remove(call.caller.merchantId, endpointId, doerOf(call)))
    return { success: true }
  }
}
