import type { Result } from '@tessera/contract/operations'
import {
  operatorEventsDeadContract,
  operatorEventsListContract,
  operatorEventsReplayContract,
  operatorEventsReplayFailedContract,
  operatorWebhooksAddContract,
  operatorWebhooksListContract,
  operatorWebhooksRemoveContract,
  operatorWebhooksRotateContract,
} from '@tessera/contract/operations/operator-webhooks'

import { isTamperedEndpoint, type EndpointLookup, type EventWithDeliveries } from '../domain/webhooks/endpoints.ts'
import type { DeliveryRow } from '../store/deliveries.ts'

import { operation } from './operation.ts'
import { expectAllowed, isoTime, refusal, requireMerchant } from './operator.ts'

/** Adds an endpoint. Its secret is returned only in this result. */
export const operatorWebhooksAdd = operation(operatorWebhooksAddContract, {
  async run({ merchantId, url }, ctx, app) {
    return expectAllowed(await app.endpoints.add(await requireMerchant(merchantId, app), url, ctx))
  },
})

/** Lists the endpoints of a merchant. */
export const operatorWebhooksList = operation(operatorWebhooksListContract, {
  async run({ merchantId: named }, _ctx, app) {
    const merchantId = await requireMerchant(named, app)
    return { merchantId, endpoints: (await app.endpoints.list(merchantId)).map(toEndpoint) }
  },
})

/** Removes an endpoint. */
export const operatorWebhooksRemove = operation(operatorWebhooksRemoveContract, {
  async run({ merchantId, url = null }, ctx, app) {
    return toEndpoint(expectAllowed(await app.endpoints.remove(await requireMerchant(merchantId, app), url, ctx)))
  },
})

/** Creates a new secret beside the current one. */
export const operatorWebhooksRotate = operation(operatorWebhooksRotateContract, {
  async run({ merchantId, url = null }, ctx, app) {
    const rotated = expectAllowed(await app.endpoints.rotateSecret(await requireMerchant(merchantId, app), url, ctx))
    return { ...rotated, bothUntil: isoTime(rotated.bothUntil) }
  },
})

/** Lists the events of a merchant, newest first. */
export const operatorEventsList = operation(operatorEventsListContract, {
  async run({ merchantId: named, from = 0, count = maxCount }, _ctx, app) {
    const merchantId = await requireMerchant(named, app)
    return { merchantId, events: (await app.endpoints.events(merchantId, from, count)).map(toEvent) }
  },
})

/** Lists the dead deliveries, newest first. */
export const operatorEventsDead = operation(operatorEventsDeadContract, {
  async run({ merchantId: named, count = maxCount }, _ctx, app) {
    const merchantId = await requireMerchant(named, app)
    return { merchantId, dead: (await app.endpoints.dead(merchantId, count)).map(toDelivery) }
  },
})

/** Delivers an event again to every endpoint of its merchant. */
export const operatorEventsReplay = operation(operatorEventsReplayContract, {
  async run({ merchantId, eventId }, ctx, app) {
    const endpoints = await app.endpoints.replay(await requireMerchant(merchantId, app), eventId, null, ctx)
    if (endpoints === 0) throw refusal('event_not_replayed')
    return { eventId, endpoints }
  },
})

/** Delivers a page of failed events again to one endpoint. */
export const operatorEventsReplayFailed = operation(operatorEventsReplayFailedContract, {
  async run({ merchantId, url: named = null, from, to }, ctx, app) {
    return expectAllowed(await app.endpoints.replayFailed(await requireMerchant(merchantId, app), { named, from, to }, ctx))
  },
})

function toEndpoint(endpoint: EndpointLookup): Result<'operator.webhooks.remove'> {
  const { endpointId } = endpoint
  if (isTamperedEndpoint(endpoint)) return { endpointId, state: 'tampered', url: '', createdAt: null, bothSecretsUntil: null }
  const { url, createdAt, previousSecret, previousSecretEndsAt } = endpoint
  return {
    endpointId,
    state: 'active',
    url,
    createdAt: isoTime(createdAt),
    bothSecretsUntil: previousSecret === null ? null : isoTime(previousSecretEndsAt),
  }
}

function toEvent({ eventId, type, objectId, at, body, deliveries }: EventWithDeliveries) {
  return { eventId, type, objectId, at, body, deliveries: deliveries.map(toDelivery) }
}

function toDelivery({ eventId, endpointId, objectId, state, attempts: attemptCount, dueAt, finishedAt }: DeliveryRow) {
  const completedAt = finishedAt === 0 ? null : isoTime(finishedAt)
  return { eventId, endpointId, objectId, state, attemptCount, dueAt: dueAt === null ? null : isoTime(dueAt), completedAt }
}

const maxCount = 500
