import type { Keyring } from '@tessera/vault/keyring'
import { SettingProblem } from '@tessera/contract/setting-problems'

import type { Clock } from '../../clock.ts'
import { deliveriesTable, type DeliveryRow, type DueDelivery, findDueDelivery, recordDeliveryAttempt } from '../../store/deliveries.ts'
import { type EventRow, outboxTable } from '../../store/outbox.ts'
import type { Store } from '../../store/store.ts'
import { type EndpointRow, webhookEndpointsTable } from '../../store/webhook-endpoints.ts'
import { makeVerifiedRows, type TamperedRowAlarm } from '../verified-rows.ts'

import type { AddressGuard } from '../../adapters/http/address-guard.ts'
import type { WebhookPost, WebhookPostResult } from './webhook-post.ts'
import { retryWaitAfter } from './schedule.ts'
import { openWebhookSecrets } from './secrets.ts'
import { signatureHeaders } from './sign.ts'

export interface DeliveryDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly environment: string
  readonly clock: Clock
  readonly alarm: TamperedRowAlarm
  readonly guard: AddressGuard
  readonly post: WebhookPost
  /** Returns a number in [0, 1). */
  readonly random: () => number
  /** Called when an attempt could not be made. */
  readonly failed: (err: unknown) => void
}

/** Attempts one claimed delivery and records the outcome. After an aborted attempt the outcome is unknown: nothing is recorded, and the lease expires. */
export async function attemptDelivery(
  deps: DeliveryDependencies,
  delivery: DeliveryRow,
  claimId: string,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = deps.clock.now()
  const found = await readDueDelivery(deps, delivery)
  const result = found === null ? endpointRemoved : found === 'tampered' ? tamperedRow : await signAndPost(deps, found, signal)
  if (result.outcome === 'stopped') return

  const now = deps.clock.now()
  const wait =
    result.outcome === 'delivered' || result === endpointRemoved || result === tamperedRow
      ? null
      : retryWaitAfter(delivery.attempts, deps.random())
  const { bucket, endpointId, eventId, totalAttempts: number } = delivery
  await deps.store.write(recordDeliveryAttempt, {
    claimId,
    now,
    dueAt: wait === null ? null : now + wait,
    state: result.outcome === 'delivered' ? 'delivered' : wait === null ? 'dead' : 'waiting',
    attempt: {
      bucket,
      endpointId,
      eventId,
      number,
      at: startedAt,
      tookMs: now - startedAt,
      outcome: result.outcome,
      status: result.status,
    },
  })
}

/** The event and the endpoint of a delivery, which are both bound to its merchant, and the event to its object; null when the event is deleted. */
async function readDueDelivery(deps: DeliveryDependencies, delivery: DeliveryRow): Promise<DueDelivery | 'tampered' | null> {
  const found = await deps.store.read(findDueDelivery(delivery))
  if (found === null) return null
  const { event, endpoint } = found
  const isEventValid = await makeVerifiedRows(deps, outboxTable).isValid(event)
  const isEndpointValid = endpoint === null || (await makeVerifiedRows(deps, webhookEndpointsTable).isValid(endpoint))
  if (!isEventValid || !isEndpointValid) return 'tampered'
  if (event.objectId === delivery.objectId) return found
  deps.alarm('row_tampered', { merchantId: delivery.merchantId, cardId: '', requestId: '', table: deliveriesTable.name })
  return 'tampered'
}

/** The outcome of one attempt, with its HTTP status. */
export type WebhookAttemptOutcome =
  WebhookPostResult | { readonly outcome: 'endpoint_removed' | 'forbidden_url' | 'not_signed' | 'tampered'; readonly status: 0 }

/** The dependencies of one attempt. */
export type DeliveryAttemptDependencies = Pick<
  DeliveryDependencies,
  'keyring' | 'environment' | 'clock' | 'alarm' | 'guard' | 'post' | 'failed'
>

/** Signs an event and posts it to an address that the guard allows. Never throws. */
export async function signAndPost(
  deps: DeliveryAttemptDependencies,
  { event, endpoint }: DeliveryPayload,
  signal: AbortSignal,
): Promise<WebhookAttemptOutcome> {
  if (endpoint === null) return endpointRemoved
  const url = deps.guard.readUrl(endpoint.url)
  if (url instanceof SettingProblem) return { outcome: 'forbidden_url', status: 0 }
  const headers = await sign(deps, event, endpoint)
  return headers === null ? { outcome: 'not_signed', status: 0 } : deps.post({ url, headers, body: event.body }, signal)
}

/** Null when the secret cannot be opened: the row was changed, or its key is gone. */
async function sign(
  { keyring, environment, clock, failed }: DeliveryAttemptDependencies,
  event: DeliveryPayload['event'],
  endpoint: EndpointRow,
): Promise<SignatureHeaders | null> {
  const at = clock.now()
  try {
    const secrets = await openWebhookSecrets(keyring, environment, endpoint, at)
    const headers = signatureHeaders(secrets, { id: event.eventId, at, body: event.body })
    for (const secret of secrets) secret.fill(0)
    return headers
  } catch (err) {
    failed(err)
    return null
  }
}

interface DeliveryPayload {
  readonly event: Pick<EventRow, 'eventId' | 'body'>
  readonly endpoint: EndpointRow | null
}

type SignatureHeaders = ReturnType<typeof signatureHeaders>

/** Not attempted again: the event or the endpoint was not written by this service. */
const tamperedRow: WebhookAttemptOutcome = Object.freeze({ outcome: 'tampered', status: 0 })
const endpointRemoved: WebhookAttemptOutcome = Object.freeze({ outcome: 'endpoint_removed', status: 0 })
