import Type from 'typebox'

import { operationsByName } from './operation.ts'
import { defineOperatorOperation, listLength, isoTimestamp, isoTimestampOrNull, optionalMerchantId } from './operator.ts'

const text = Type.String()
const url = Type.String({ description: 'Say where the events go: --url https://…' })
const endpoint = Type.Object({
  endpointId: text,
  state: Type.Union([Type.Literal('active'), Type.Literal('tampered')]),
  url: text,
  createdAt: isoTimestampOrNull,
  bothSecretsUntil: isoTimestampOrNull,
})
const ofEndpoint = Type.Object({ merchantId: optionalMerchantId, url: Type.Optional(url) })

export const operatorWebhooksAddContract = defineOperatorOperation('operator.webhooks.add', {
  summary: 'Adds an endpoint to which events are delivered, and returns its secret once.',
  mutates: true,
  params: Type.Object({ merchantId: optionalMerchantId, url }),
  result: Type.Object({ endpointId: text, url: text, secret: text }),
})

export const operatorWebhooksListContract = defineOperatorOperation('operator.webhooks.list', {
  summary: 'Lists the endpoints of a merchant.',
  mutates: false,
  params: Type.Object({ merchantId: optionalMerchantId }),
  result: Type.Object({ merchantId: text, endpoints: Type.Array(endpoint) }),
})

export const operatorWebhooksRemoveContract = defineOperatorOperation('operator.webhooks.remove', {
  summary: 'Removes an endpoint. Its pending deliveries are cancelled.',
  mutates: true,
  params: ofEndpoint,
  result: endpoint,
})

export const operatorWebhooksRotateContract = defineOperatorOperation('operator.webhooks.rotate', {
  summary: 'Creates a new secret for an endpoint, and returns it once. For a day both secrets sign.',
  mutates: true,
  params: ofEndpoint,
  result: Type.Object({ url: text, secret: text, bothUntil: isoTimestamp }),
})

const delivery = Type.Object({
  eventId: text,
  endpointId: text,
  objectId: text,
  state: text,
  attemptCount: Type.Integer(),
  dueAt: isoTimestampOrNull,
  completedAt: isoTimestampOrNull,
})

export const operatorEventsListContract = defineOperatorOperation('operator.events.list', {
  summary: 'Lists the events of a merchant with their deliveries, newest first.',
  mutates: false,
  params: Type.Object({
    merchantId: optionalMerchantId,
    from: Type.Optional(Type.Number({ description: 'Unix milliseconds.' })),
    count: Type.Optional(listLength),
  }),
  result: Type.Object({
    merchantId: text,
    events: Type.Array(
      Type.Object({ eventId: text, type: text, objectId: text, at: Type.Integer(), body: text, deliveries: Type.Array(delivery) }),
    ),
  }),
})

export const operatorEventsDeadContract = defineOperatorOperation('operator.events.dead', {
  summary: 'Lists the deliveries that failed after all attempts, newest first.',
  mutates: false,
  params: Type.Object({ merchantId: optionalMerchantId, count: Type.Optional(listLength) }),
  result: Type.Object({ merchantId: text, dead: Type.Array(delivery) }),
})

export const operatorEventsReplayContract = defineOperatorOperation('operator.events.replay', {
  summary: 'Delivers an event again to every endpoint of its merchant.',
  mutates: true,
  params: Type.Object({
    merchantId: optionalMerchantId,
    eventId: Type.String({ pattern: '^[0-9a-f]{24}$', description: 'An event id is 24 hex digits.' }),
  }),
  result: Type.Object({ eventId: text, endpoints: Type.Integer() }),
})

export const operatorEventsReplayFailedContract = defineOperatorOperation('operator.events.replayFailed', {
  summary: 'Delivers failed events of one endpoint again, at most 256 in one call, those that failed first.',
  mutates: true,
  params: Type.Object({
    merchantId: optionalMerchantId,
    url: Type.Optional(url),
    from: Type.Optional(Type.Integer({ description: 'Deliveries that failed at this time or later, Unix milliseconds.' })),
    to: Type.Optional(Type.Integer({ description: 'Deliveries that failed before this time; without it those up to now.' })),
  }),
  result: Type.Object({
    url: text,
    replayed: Type.Integer(),
    to: Type.Integer({ description: 'Call again with this time for those that are left: one that fails again is not replayed twice.' }),
    hasMore: Type.Boolean(),
  }),
})

export const operatorWebhookOperations = operationsByName(
  operatorWebhooksAddContract,
  operatorWebhooksListContract,
  operatorWebhooksRemoveContract,
  operatorWebhooksRotateContract,
  operatorEventsListContract,
  operatorEventsDeadContract,
  operatorEventsReplayContract,
  operatorEventsReplayFailedContract,
)
