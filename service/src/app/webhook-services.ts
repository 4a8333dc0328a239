import { randomPublic } from '@tessera/vault/random'

import type { AddressGuard } from '../adapters/http/address-guard.ts'
import { makeWebhookEndpointAdministration } from '../domain/webhooks/endpoints.ts'
import { webhookSettings } from '../domain/webhooks/settings.ts'
import { makeWebhookPost, type WebhookPost } from '../domain/webhooks/webhook-post.ts'
import { makeWebhookDeliverer } from '../domain/webhooks/webhooks.ts'
import type { Log } from '../ops/logging/log.ts'
import { makeWebhookEndpointObserver } from '../ops/logging/observers.ts'
import type { Metrics } from '../ops/metrics/metrics.ts'
import type { Tracer } from '../ops/tracing/tracing.ts'
import { webhookGauges } from '../ops/metrics/webhook-gauges.ts'

import type { DomainBase } from './domain-base.ts'
import { traceWebhookPost } from './traced-ports.ts'

export interface WebhookServiceDependencies {
  readonly base: DomainBase
  readonly guard: AddressGuard
  readonly log: Log
  readonly metrics: Metrics
  readonly tracing: Tracer | null
}

/** The delivery of events to merchants, and the administration of their endpoints. */
export function createWebhookServices({ base, guard, log, metrics, tracing }: WebhookServiceDependencies) {
  const { store, clock } = base
  const failed = (err: unknown): void => log.error('delivery_failed', { err })
  const post = traceWebhookPost(makeWebhookPost({ guard, clock, timeoutMs: webhookSettings.timeoutMs }), tracing)
  const delivery = { ...base, guard, settings: webhookSettings, post: countAttempts(post, metrics), failed }
  const random = (): number => Buffer.from(randomPublic(4)).readUInt32BE() / 2 ** 32
  const endpointObserver = makeWebhookEndpointObserver(log, clock.now)
  const webhooks = makeWebhookDeliverer({ ...delivery, random, endpointObserver, onDelivered: metrics.observeDeliveryDelay })
  for (const gauge of webhookGauges(webhooks, { store, clock })) metrics.registerGauge(gauge)
  return { webhooks, endpoints: makeWebhookEndpointAdministration(delivery) }
}

/** The post of webhooks with each attempt counted. */
function countAttempts(post: WebhookPost, metrics: Pick<Metrics, 'countWebhookAttempt'>): WebhookPost {
  return async (request, signal) => {
    const result = await post(request, signal)
    metrics.countWebhookAttempt(result)
    return result
  }
}
