import type { WebhookDesk } from '../dashboard/webhooks.ts'

import type { Row } from './method.ts'

/** Lists the merchant's endpoints, without their secrets. */
export function dashboardWebhooksList({ endpoints, now, endpointsMax }: WebhookDesk): Row<'dashboard.webhooks.list'>['run'] {
  return async (_params, { caller }) => {
    const found = await endpoints.list(caller.merchantId)
    return {
      endpoints: found.map(({ endpointId, url, createdAt, secretBefore, beforeEndsAt }) => {
        return { endpointId, url, createdAt, bothSecretsUntil: secretBefore !== null && beforeEndsAt > now() ? beforeEndsAt : null }
      }),
      endpointsMax,
    }
  }
}
