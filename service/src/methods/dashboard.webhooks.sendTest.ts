import type { WebhookDesk } from '../dashboard/webhooks.ts'

import { expectDone } from './merchant-deed.ts'
import type { Row } from './method.ts'
import { doerOf } from './signed-in.ts'

/** Sends an endpoint one event that says it is a test, and tells what it answered. */
export function dashboardWebhooksSendTest({ endpoints }: WebhookDesk): Row<'dashboard.webhooks.sendTest'>['run'] {
  return async ({ endpointId }, call) => expectDone(await endpoints.test(call.caller.merchantId, endpointId, doerOf(call), call.signal))
}
