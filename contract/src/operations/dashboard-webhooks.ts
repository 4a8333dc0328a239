import Type from 'typebox'

import { eventTypes, type EventType } from '../event.ts'
import { defineOperation, operationsByName } from './operation.ts'
import { after, count, next } from './dashboard-cards.ts'
import { done } from './dashboard-session.ts'

const id = Type.String({ pattern: '^[0-9a-f]{24}$' })
const timestamp = Type.Integer({ description: 'Unix milliseconds.' })
const timestampOrNull = Type.Union([timestamp, Type.Null()])
const secret = Type.String({ description: '`whsec_…`; returned only here.' })
const url = Type.String({ minLength: 1, maxLength: 2048 })

const state = Type.Union([Type.Literal('waiting'), Type.Literal('delivered'), Type.Literal('dead')], {
  description: '`dead`: abandoned after ten attempts, or because the endpoint was removed.',
})

const typeNames = Type.Array(Type.Unsafe<EventType>(Type.Union(eventTypes.map((each) => Type.Literal(each)))), {
  uniqueItems: true,
  maxItems: eventTypes.length,
  description: 'The event types that the endpoint gets; empty for all.',
})

const type = Type.Union(
  [
    Type.Literal('card.verified'),
    Type.Literal('card.removed'),
    Type.Literal('card.expired'),
    Type.Literal('receipt.paid'),
    Type.Literal('receipt.held'),
    Type.Literal('receipt.cancelled'),
    Type.Literal('receipt.failed'),
    Type.Literal('page.changed'),
  ],
  { description: 'What happened.' },
)

const delivery = Type.Object({
  eventId: Type.String({ description: '`webhook-id` of the request.' }),
  endpointId: Type.String(),
  url: Type.Union([Type.String(), Type.Null()], { description: 'Null where the endpoint was removed or is tampered.' }),
  isEndpointTampered: Type.Boolean({ description: 'The endpoint was changed outside the service.' }),
  type: Type.Union([type, Type.Null()], { description: 'Null: the event was changed outside the service, and nothing of it is returned.' }),
  objectId: Type.String({ description: 'The card, receipt or page.' }),
  state,
  attemptCount: Type.Integer({ description: 'Attempts since it was created or last replayed.' }),
  dueAt: Type.Union([timestamp, Type.Null()], { description: 'The next attempt; null: none.' }),
  createdAt: timestamp,
  completedAt: Type.Integer({ description: '0 while it is waiting.' }),
})

const outcome = Type.String({
  description:
    'delivered, refused, late, unreachable, forbidden_address, forbidden_url, not_signed, tampered, endpoint_removed, endpoint_disabled or stopped.',
})

const attempt = Type.Object({
  number: Type.Integer(),
  at: timestamp,
  tookMs: Type.Integer(),
  outcome,
  status: Type.Integer({ description: 'HTTP status; 0 without one.' }),
  replyHeaders: Type.String({
    description:
      'Those of the reply, a line each, without cookies; empty when nothing is stored: without a reply, or for a private address.',
  }),
  replyBody: Type.String({ description: 'The first 2,048 characters of the reply, without card numbers.' }),
})

const ofEndpoint = Type.Object({ endpointId: id })
const ofDelivery = Type.Object({ eventId: id, endpointId: id })

export const dashboardWebhooksListContract = defineOperation('dashboard.webhooks.list', {
  summary: 'Lists the endpoints of the merchant, oldest first; never their secrets.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({}),
  result: Type.Object({
    endpoints: Type.Array(
      Type.Object({
        endpointId: Type.String(),
        state: Type.Union([Type.Literal('active'), Type.Literal('tampered')], {
          description: 'tampered: it was changed outside the service, gets no events, and nothing of its content is returned.',
        }),
        url: Type.String(),
        createdAt: timestampOrNull,
        bothSecretsUntil: timestampOrNull,
        types: typeNames,
        disabledAt: Type.Union([timestamp, Type.Null()], { description: 'Since when it gets no events; null while it does.' }),
        health: Type.Object(
          {
            attempted: Type.Integer({
              description: 'Of the 500 newest deliveries of the merchant those to this endpoint that were attempted.',
            }),
            delivered: Type.Integer({ description: 'How many of them were delivered.' }),
            lastFailedAt: Type.Union([timestamp, Type.Null()], { description: 'When a delivery was last given up.' }),
            oldestWaitingAt: Type.Union([timestamp, Type.Null()], { description: 'When the event happened that has waited longest.' }),
          },
          { description: 'How its deliveries go.' },
        ),
      }),
    ),
    endpointsMax: Type.Integer(),
  }),
  errors: [],
})

export const dashboardWebhooksAddContract = defineOperation('dashboard.webhooks.add', {
  summary: 'Adds an endpoint; events that happen from now on go there.',
  caller: 'dashboard',
  role: 'developer',
  confirmation: 'always',
  mutates: true,
  limit: 'write',
  params: Type.Object({ url }),
  result: Type.Object({ endpointId: Type.String(), url: Type.String(), secret }),
  errors: ['settingRefused', 'overloaded'],
})

export const dashboardWebhooksChangeContract = defineOperation('dashboard.webhooks.change', {
  summary: 'Changes which events an endpoint gets, or disables and enables it. What happens meanwhile is not sent to it.',
  caller: 'dashboard',
  role: 'developer',
  mutates: true,
  limit: 'write',
  params: Type.Object({ endpointId: id, types: Type.Optional(typeNames), enabled: Type.Optional(Type.Boolean()) }),
  result: done,
  errors: ['settingRefused', 'overloaded'],
})

export const dashboardWebhooksRotateContract = defineOperation('dashboard.webhooks.rotate', {
  summary: 'Creates a new secret; the previous one signs beside it for a day.',
  caller: 'dashboard',
  role: 'developer',
  confirmation: 'always',
  mutates: true,
  limit: 'write',
  params: ofEndpoint,
  result: Type.Object({ secret, bothUntil: timestamp }),
  errors: ['settingRefused', 'overloaded'],
})

export const dashboardWebhooksRemoveContract = defineOperation('dashboard.webhooks.remove', {
  summary: 'Removes an endpoint and cancels its pending deliveries.',
  caller: 'dashboard',
  role: 'developer',
  mutates: true,
  limit: 'write',
  params: ofEndpoint,
  result: done,
  errors: ['settingRefused', 'overloaded'],
})

export const dashboardWebhooksSendTestContract = defineOperation('dashboard.webhooks.sendTest', {
  summary: 'Sends one event of type `tessera.test` at once, signed and guarded as every other; it is not stored and not repeated.',
  caller: 'dashboard',
  role: 'developer',
  mutates: true,
  limit: 'write',
  params: ofEndpoint,
  result: Type.Object({ eventId: Type.String(), body: Type.String(), outcome, status: Type.Integer(), tookMs: Type.Integer() }),
  errors: ['settingRefused', 'overloaded'],
})

export const dashboardWebhooksDeliveriesContract = defineOperation('dashboard.webhooks.deliveries', {
  summary:
    'Lists deliveries, newest event first. Filtered by type or endpoint, a page examines at most 500 deliveries, so it may be short and still have a `next`.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  isCompressible: true,
  params: Type.Object({
    after,
    count,
    state: Type.Optional(state),
    type: Type.Optional(type),
    endpointId: Type.Optional(id),
    objectId: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{24}$',
        description: 'A card or a receipt: its deliveries, at most the hundred newest, in one page.',
      }),
    ),
  }),
  result: Type.Object({ deliveries: Type.Array(delivery), next }),
  errors: [],
})

export const dashboardWebhooksDeliveryContract = defineOperation('dashboard.webhooks.delivery', {
  summary: 'Returns one delivery with its body and every attempt.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: ofDelivery,
  result: Type.Object({
    delivery,
    body: Type.String({ description: 'JSON, to the byte; `` of a tampered event.' }),
    attempts: Type.Array(attempt),
  }),
  errors: ['deliveryNotFound'],
})

export const dashboardWebhooksReplayContract = defineOperation('dashboard.webhooks.replay', {
  summary: 'Schedules a delivery again, under its old id and with its earlier attempts.',
  caller: 'dashboard',
  role: 'developer',
  mutates: true,
  limit: 'write',
  params: ofDelivery,
  result: done,
  errors: ['settingRefused', 'overloaded'],
})

export const dashboardWebhooksReplayFailedContract = defineOperation('dashboard.webhooks.replayFailed', {
  summary: 'Schedules the failed deliveries of an endpoint again, at most 256 in one call, those that failed first.',
  caller: 'dashboard',
  role: 'developer',
  mutates: true,
  limit: 'write',
  params: Type.Object({
    endpointId: id,
    from: Type.Optional(Type.Integer({ description: 'Deliveries that failed at this time or later, Unix milliseconds.' })),
    to: Type.Optional(Type.Integer({ description: 'Deliveries that failed before this time; without it those up to now.' })),
  }),
  result: Type.Object({
    replayed: Type.Integer({ description: 'How many are sent again.' }),
    to: Type.Integer({ description: 'Call again with this time for those that are left: one that fails again is not replayed twice.' }),
    hasMore: Type.Boolean(),
  }),
  errors: ['settingRefused', 'overloaded'],
})

/** Webhook endpoints and deliveries. */
export const dashboardWebhookOperations = operationsByName(
  dashboardWebhooksListContract,
  dashboardWebhooksAddContract,
  dashboardWebhooksChangeContract,
  dashboardWebhooksRotateContract,
  dashboardWebhooksRemoveContract,
  dashboardWebhooksSendTestContract,
  dashboardWebhooksDeliveriesContract,
  dashboardWebhooksDeliveryContract,
  dashboardWebhooksReplayContract,
  dashboardWebhooksReplayFailedContract,
)
