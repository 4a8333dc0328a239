import { eventTypes } from '@tessera/contract/event'
import type { Result } from '@tessera/contract/operations'
import {
  dashboardWebhooksAddContract,
  dashboardWebhooksChangeContract,
  dashboardWebhooksDeliveriesContract,
  dashboardWebhooksDeliveryContract,
  dashboardWebhooksListContract,
  dashboardWebhooksRemoveContract,
  dashboardWebhooksReplayContract,
  dashboardWebhooksReplayFailedContract,
  dashboardWebhooksRotateContract,
  dashboardWebhooksSendTestContract,
} from '@tessera/contract/operations/dashboard-webhooks'
import { SettingProblem } from '@tessera/contract/setting-problems'

import { isTamperedEndpoint } from '../domain/webhooks/endpoints.ts'
import type { DeliveryLookup } from '../domain/reporting/webhooks.ts'

import { formatCursor, readCursor } from './dashboard-values.ts'
import { expectAccepted } from './dashboard-caller.ts'
import { operation } from './operation.ts'

/** Adds an endpoint by the same rules as the operator's command. Its secret is returned only here. */
export const dashboardWebhooksAdd = operation(dashboardWebhooksAddContract, {
  run: async ({ url }, ctx, { endpoints }) => expectAccepted(await endpoints.add(ctx.merchantId, url.trim(), ctx), ctx),
})

/** Lists the merchant's endpoints, without their secrets. */
export const dashboardWebhooksList = operation(dashboardWebhooksListContract, {
  async run(_params, ctx, { webhookReports }) {
    const { endpoints, now, endpointsMax } = webhookReports
    const [found, healths] = await Promise.all([endpoints.list(ctx.merchantId), webhookReports.health(ctx)])
    return {
      endpoints: found.map((endpoint) => {
        const { endpointId } = endpoint
        const health = healths.get(endpointId) ?? noDeliveries
        if (isTamperedEndpoint(endpoint)) return { ...tampered, endpointId, health }
        const { url, createdAt, previousSecret, previousSecretEndsAt, types, disabledAt } = endpoint
        return {
          endpointId,
          state: 'active',
          url,
          createdAt,
          bothSecretsUntil: previousSecret !== null && previousSecretEndsAt > now() ? previousSecretEndsAt : null,
          types: eventTypes.filter((type) => types.split(' ').includes(type)),
          disabledAt: disabledAt === 0 ? null : disabledAt,
          health,
        }
      }),
      endpointsMax,
    }
  },
})

const tampered = {
  state: 'tampered' as const,
  url: '',
  createdAt: null,
  bothSecretsUntil: null,
  types: [],
  disabledAt: null,
} satisfies Partial<WebhookEndpointView>
type WebhookEndpointView = Result<'dashboard.webhooks.list'>['endpoints'][number]
const noDeliveries = { attempted: 0, delivered: 0, lastFailedAt: null, oldestWaitingAt: null }

/** Changes which events an endpoint gets, and whether it gets any. */
export const dashboardWebhooksChange = operation(dashboardWebhooksChangeContract, {
  async run({ endpointId, types, enabled }, ctx, { endpoints }) {
    expectAccepted(await endpoints.change(ctx.merchantId, endpointId, { types, isEnabled: enabled }, ctx), ctx)
    return { success: true }
  },
})

/** Removes an endpoint. Its pending deliveries are abandoned. */
export const dashboardWebhooksRemove = operation(dashboardWebhooksRemoveContract, {
  async run({ endpointId }, ctx, { endpoints }) {
    expectAccepted(await endpoints.remove(ctx.merchantId, endpointId, ctx), ctx)
    return { success: true }
  },
})

/** Creates a new secret for an endpoint. Both secrets sign for a day. */
export const dashboardWebhooksRotate = operation(dashboardWebhooksRotateContract, {
  async run({ endpointId }, ctx, { endpoints }) {
    const { secret, bothUntil } = expectAccepted(await endpoints.rotateSecret(ctx.merchantId, endpointId, ctx), ctx)
    return { secret, bothUntil }
  },
})

/** Sends a test event to an endpoint and returns its response. */
export const dashboardWebhooksSendTest = operation(dashboardWebhooksSendTestContract, {
  run: async ({ endpointId }, ctx, { endpoints }) => expectAccepted(await endpoints.test(ctx.merchantId, endpointId, ctx, ctx.signal), ctx),
})

/** Lists the merchant's deliveries, those of the newest events first. */
export const dashboardWebhooksDeliveries = operation(dashboardWebhooksDeliveriesContract, {
  async run({ after, count = 25, state = null, type = null, endpointId = null, objectId = null }, ctx, { webhookReports }) {
    const query = { state, type, endpointId, objectId, after: readCursor(after), count }
    const { deliveries, next } = await webhookReports.list(ctx, query)
    return { deliveries: deliveries.map(toDelivery), next: formatCursor(next) }
  },
})

/** Returns one delivery with its body and every attempt, newest first. */
export const dashboardWebhooksDelivery = operation(dashboardWebhooksDeliveryContract, {
  async run(key, ctx, { webhookReports }) {
    const { delivery, attempts } = await webhookReports.get(ctx, key)
    return {
      delivery: toDelivery(delivery),
      body: delivery.event?.body ?? '',
      attempts: attempts.map(({ number, at, tookMs, outcome, status, replyHeaders, replyBody }) => {
        return { number, at, tookMs, outcome, status, replyHeaders, replyBody }
      }),
    }
  },
})

/** Makes a delivery due again at its own endpoint. */
export const dashboardWebhooksReplay = operation(dashboardWebhooksReplayContract, {
  async run({ eventId, endpointId }, ctx, { endpoints }) {
    const replayed = await endpoints.replay(ctx.merchantId, eventId, endpointId, ctx)
    expectAccepted(replayed > 0 ? {} : new SettingProblem('delivery_gone'), ctx)
    return { success: true }
  },
})

/** Makes a page of an endpoint's failed deliveries due again. */
export const dashboardWebhooksReplayFailed = operation(dashboardWebhooksReplayFailedContract, {
  async run({ endpointId: named, from, to: before }, ctx, { endpoints }) {
    const { replayed, to, hasMore } = expectAccepted(await endpoints.replayFailed(ctx.merchantId, { named, from, to: before }, ctx), ctx)
    return { replayed, to, hasMore }
  },
})

export function toDelivery(delivery: DeliveryLookup): Result<'dashboard.webhooks.delivery'>['delivery'] {
  const { eventId, endpointId, event, endpoint, objectId, state, attempts: attemptCount, dueAt, createdAt, finishedAt } = delivery
  return {
    eventId,
    endpointId,
    url: endpoint === null || endpoint === 'tampered' ? null : endpoint.url,
    isEndpointTampered: endpoint === 'tampered',
    type: event?.type ?? null,
    objectId,
    state,
    attemptCount,
    dueAt,
    createdAt,
    completedAt: finishedAt,
  }
}
