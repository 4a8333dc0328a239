import { issueId } from '@tessera/vault/id'

import type { EndpointRow } from '../store/store.ts'

import { attempt, type AttemptParts, type Said } from './deliver.ts'

/** What an endpoint was sent for a test, and what it answered. */
export interface Tested {
  readonly eventId: string
  readonly body: string
  readonly outcome: Said['outcome']
  /** HTTP status; 0 without one. */
  readonly status: number
  readonly tookMs: number
}

/**
 * Sends one event of a type that no card and no receipt has, so that nobody takes it for one. It never stood in the outbox: nothing happened,
 * so that nothing is listed, repeated or counted.
 */
export async function sendTest(parts: AttemptParts, endpoint: EndpointRow, signal: AbortSignal): Promise<Tested> {
  const startedAt = parts.clock.now()
  const eventId = issueId(endpoint.bucket, startedAt)
  const body = JSON.stringify({ type: testEventType, timestamp: new Date(startedAt).toISOString(), data: { test: true, note } })
  const { outcome, status } = await attempt(parts, { event: { eventId, body }, endpoint }, signal)
  return { eventId, body, outcome, status, tookMs: parts.clock.now() - startedAt }
}

const testEventType = 'tessera.test'
const note = 'A test from the dashboard: nothing happened. Answer 2xx.'
