import type { Keyring } from '@tessera/vault/keyring'
import { SettingProblem } from '@tessera/contract/setting-problems'

import type { RowFreshness } from '../freshness/row-freshness.ts'
import type { Clock } from '../../clock.ts'
import { deliveriesTable, type DeliveryRow, findDueDelivery, recordDeliveryAttempt } from '../../store/deliveries.ts'
import { type EventRow, outboxTable } from '../../store/outbox.ts'
import type { Store } from '../../store/store.ts'
import { type EndpointRow, webhookEndpointsTable } from '../../store/webhook-endpoints.ts'
import { makeVerifiedRows, type TamperedRowAlarm } from '../verified-rows.ts'

import type { AddressGuard } from '../../adapters/http/address-guard.ts'
import type { WebhookPost, WebhookPostResult } from './webhook-post.ts'
import { noExcerpt } from './reply-excerpt.ts'
import { retryWaitAfter } from './schedule.ts'
import { openWebhookSecrets } from './secrets.ts'
import { signatureHeaders } from './sign.ts'

export interface DeliveryDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly environment: string
  readonly clock: Clock
  readonly alarm: TamperedRowAlarm
  readonly freshness?: RowFreshness | undefined
  readonly guard: AddressGuard
  readonly post: WebhookPost
  /** Returns a number in [0, 1). */
  readonly random: () => number
  /** Called after a delivery, with the time since its event, milliseconds. */
  readonly onDelivered?: (delayMs: number) => void
  /** Called when an attempt could not be made. */
  readonly failed: (err: unknown) => void
}

/** Attempts one claimed delivery and records the outcome. After an aborted attempt the outcome is unknown: nothing is recorded, and the lease expires. */
export type AttemptDelivery = (delivery: DeliveryRow, claimId: string, signal: AbortSignal) => Promise<AttemptedDelivery>

export interface AttemptedDelivery {
  readonly result: WebhookAttemptOutcome
  /** Whether the next event of the same object is due now. */
  readonly hasNext: boolean
}

export function makeDeliveryAttempts(deps: DeliveryDependencies): AttemptDelivery {
  const { store, clock, random, alarm } = deps
  const eventRows = makeVerifiedRows(deps, outboxTable)
  const endpointRows = makeVerifiedRows(deps, webhookEndpointsTable)
  return attemptDelivery

  async function attemptDelivery(delivery: DeliveryRow, claimId: string, signal: AbortSignal): Promise<AttemptedDelivery> {
    const startedAt = clock.now()
    const result = await verifyAndPost(delivery, signal)
    if (result.outcome === 'stopped') return { result, hasNext: false }

    const now = clock.now()
    const isDelivered = result.outcome === 'delivered'
    if (isDelivered) deps.onDelivered?.(now - delivery.createdAt)
    const wait = isDelivered || isFinal(result) ? null : retryWaitAfter(delivery.attempts, random())
    const endState = isDelivered ? 'delivered' : 'dead'
    const { bucket, endpointId, eventId, totalAttempts: number } = delivery
    const { reply = noExcerpt } = 'reply' in result ? result : {}
    const recorded = await store.write(recordDeliveryAttempt, {
      claimId,
      now,
      dueAt: wait === null ? null : now + wait,
      state: wait === null ? endState : 'waiting',
      attempt: {
        bucket,
        endpointId,
        eventId,
        number,
        at: startedAt,
        tookMs: now - startedAt,
        outcome: result.outcome,
        status: result.status,
        replyHeaders: reply.headers,
        replyBody: reply.body,
      },
    })
    return { result, hasNext: recorded?.hasNext === true }
  }

  /** The event and the endpoint are both bound to the merchant of the delivery, and the event to its object. */
  async function verifyAndPost(delivery: DeliveryRow, signal: AbortSignal): Promise<WebhookAttemptOutcome> {
    const found = await store.read(findDueDelivery(delivery))
    if (found === null) return endpointRemoved
    const { event, endpoint } = found
    if (!(await eventRows.isValid(event))) return tamperedEvent
    if (event.objectId !== delivery.objectId) {
      alarm('row_tampered', { merchantId: delivery.merchantId, cardId: '', requestId: '', table: deliveriesTable.name })
      return tamperedEvent
    }
    if (endpoint !== null && !(await endpointRows.isValid(endpoint))) return tamperedEndpoint
    if (endpoint !== null && endpoint.disabledAt !== 0) return endpointDisabled
    return signAndPost(deps, found, signal)
  }
}

/** The outcome of one attempt, with its HTTP status. */
export type WebhookAttemptOutcome =
  | WebhookPostResult
  | { readonly outcome: 'endpoint_removed' | 'endpoint_disabled' | 'forbidden_url' | 'not_signed' | 'tampered'; readonly status: 0 }

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

/** An event that this service did not write never becomes valid, so it is not attempted again. */
const tamperedEvent: WebhookAttemptOutcome = Object.freeze({ outcome: 'tampered', status: 0 })
/** Attempted again like a failed attempt, since the row of the endpoint may be repaired. */
const tamperedEndpoint: WebhookAttemptOutcome = Object.freeze({ outcome: 'tampered', status: 0 })
/** Not attempted again: it is sent when somebody asks for it, after the endpoint was enabled. */
const endpointDisabled: WebhookAttemptOutcome = Object.freeze({ outcome: 'endpoint_disabled', status: 0 })
const endpointRemoved: WebhookAttemptOutcome = Object.freeze({ outcome: 'endpoint_removed', status: 0 })

function isFinal(result: WebhookAttemptOutcome): boolean {
  return result === endpointRemoved || result === endpointDisabled || result === tamperedEvent
}
