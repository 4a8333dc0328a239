import type { WebhookDesk } from '../dashboard/webhooks.ts'

import { expectDone } from './merchant-deed.ts'
import type { Row } from './method.ts'
import { doerOf } from './signed-in.ts'

/** Makes a delivery due again at its own endpoint. */
export function dashboardWebhooksReplay({ endpoints }: WebhookDesk): Row<'dashboard.webhooks.replay'>['run'] {
  return async ({ eventId, endpointId }, call) => {
    const replayed = await endpoints.replay(call.caller.merchantId, eventId, endpointId, doerOf(call))
    expectDone(replayed > 0 ? {} : 'The event or its endpoint is gone, or it is being delivered at this moment.')
    return { success: true }
  }
}
