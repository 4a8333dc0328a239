import type { DeliveryRow, EndpointRow } from '../store/store.ts'
import type { Endpoints, ToldEvent } from '../webhooks/endpoints.ts'

import type { Question, Reply } from './control-wire.ts'
import { ofKnown, type KnownMerchants } from './known-merchants.ts'
import { isId, no, yes, type Answers } from './replies.ts'

export type WebhookAnswers = Endpoints

/** Answers about endpoints and events; `merchantByDefault` is whose they are when nobody says, null where somebody has to. */
export function answerWebhooks(endpoints: WebhookAnswers, merchantByDefault: string | null, merchants: KnownMerchants): Answers {
  const of = (then: (merchantId: string, question: Question) => Promise<Reply>) => (question: Question) => {
    const { merchantId = merchantByDefault } = question
    return ofKnown(merchants, merchantId, (id) => then(id, question))
  }
  return {
    'webhooks.add': of(async (id, { url }) => told(typeof url === 'string' ? await endpoints.add(id, url) : wantsUrl)),
    'webhooks.list': of(async (id) => yes({ merchantId: id, endpoints: (await endpoints.list(id)).map(tellEndpoint) })),
    'webhooks.remove': of(async (id, { url }) => told(await endpoints.remove(id, textOrNull(url)), tellEndpoint)),
    'webhooks.rotate-secret': of(async (id, { url }) => {
      return told(await endpoints.rotateSecret(id, textOrNull(url)), (it) => ({ ...it, bothUntil: moment(it.bothUntil) }))
    }),
    'events.list': of(async (id, { from, count }) => {
      const events = await endpoints.events(id, typeof from === 'number' ? from : 0, countOf(count))
      return yes({ merchantId: id, events: events.map(tellEvent) })
    }),
    'events.dead': of(async (id, { count }) => yes({ merchantId: id, dead: (await endpoints.dead(id, countOf(count))).map(tellDelivery) })),
    'events.replay': of(async (id, { eventId }) => {
      if (!isId(eventId)) return no('bad_event', 'An event id is 24 hex digits.')
      const replayed = await endpoints.replay(id, eventId)
      return replayed > 0 ? yes({ eventId, endpoints: replayed }) : no('not_replayed', 'Unknown event, no endpoint, or it is under way.')
    }),
  }
}

function told<T extends object>(found: T | string, tell: (found: T) => object = (it) => it): Reply {
  return typeof found === 'string' ? no('refused', found) : yes(tell(found))
}

function tellEndpoint({ endpointId, url, createdAt, secretBefore, beforeEndsAt }: EndpointRow): object {
  return { endpointId, url, createdAt: moment(createdAt), bothSecretsUntil: secretBefore === null ? null : moment(beforeEndsAt) }
}

function tellEvent({ eventId, type, objectId, at, body, deliveries }: ToldEvent): object {
  return { eventId, type, objectId, at, body, deliveries: deliveries.map(tellDelivery) }
}

function tellDelivery({ eventId, endpointId, objectId, state, tries, dueAt, settledAt }: DeliveryRow): object {
  const ends = settledAt === 0 ? null : moment(settledAt)
  return { eventId, endpointId, objectId, state, tries, dueAt: dueAt === null ? null : moment(dueAt), settledAt: ends }
}

function moment(at: number): string {
  return new Date(at).toISOString()
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= countMax ? value : countMax
}

const wantsUrl = 'Say where the events go: --url https://…'
const countMax = 500
