import type { WebhookDesk } from '../dashboard/webhooks.ts'

import { expectDone } from './merchant-deed.ts'
import type { Row } from './method.ts'
import { doerOf } from './signed-in.ts'

/** Makes a new secret for an endpoint; for a day both sign. */
export function dashboardWebhooksRotate({ endpoints }: WebhookDesk): Row<'dashboard.webhooks.rotate'>['run'] {
  return async ({ endpointId }, call) => {
    const { secret, bothUntil } = expectDone(await endpoints.rotateSecret(call.caller.merchantId, endpointId, doerOf(call)))
    return { secret, bothUntil }
  }
}
