import { issueId } from '@tessera/vault/id'

import type { EndpointRow } from '../../store/webhook-endpoints.ts'

import { signAndPost, type DeliveryAttemptDependencies, type WebhookAttemptOutcome } from './attempt-delivery.ts'

/** A test event and the endpoint's response. */
export interface TestEventResult {
  readonly eventId: string
  readonly body: string
  readonly outcome: WebhookAttemptOutcome['outcome']
  /** HTTP status; 0 without one. */
  readonly status: number
  readonly tookMs: number
}

/**
 * Sends one event of a type that no card or receipt event has, so that it cannot be mistaken for one. The event does not go through the outbox,
 * so it is not listed, retried or counted.
 */
export async function sendTestEvent(
  deps: DeliveryAttemptDependencies,
  endpoint: EndpointRow,
  signal: AbortSignal,
): Promise<TestEventResult> {
  const startedAt = deps.clock.now()
  const eventId = issueId(endpoint.bucket, startedAt)
  const body = JSON.stringify({ type: testEventType, timestamp: new Date(startedAt).toISOString(), data: { test: true, note } })
  const { outcome, status } = await signAndPost(deps, { event: { eventId, body }, endpoint }, signal)
  return { eventId, body, outcome, status, tookMs: deps.clock.now() - startedAt }
}

const testEventType = 'tessera.test'
const note = 'A test from the dashboard: nothing happened. Answer 2xx.'
