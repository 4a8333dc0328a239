import type { WebhookDesk } from '../dashboard/webhooks.ts'

import { expectDone } from './merchant-deed.ts'
import type { Row } from './method.ts'
import { doerOf } from './signed-in.ts'

/** Adds an endpoint by the same rules as the operator's command; its secret is told here and never again. */
export function dashboardWebhooksAdd({ endpoints }: WebhookDesk): Row<'dashboard.webhooks.add'>['run'] {
  return async ({ url }, call) => expectDone(await endpoints.add(call.caller.merchantId, url.trim(), doerOf(call)))
}
