import type { AuditActor } from '../request-context.ts'
import { bucketOf, issueId } from '@tessera/vault/id'
import { SettingProblem } from '@tessera/contract/setting-problems'
import type { EventType } from '@tessera/contract/event'
import { type AuditEntry, findNewestAudited, insertAuditEntry } from '../../store/audit.ts'
import { replayFailed as replayFailedDeliveries, type ReplayedPage } from '../../store/delivery-claims.ts'
import { type DeliveryRow, listDeadDeliveries, listDeliveries, replayEvent } from '../../store/deliveries.ts'
import { findMerchant } from '../../store/merchants.ts'
import { type EventRow, listEvents, outboxTable } from '../../store/outbox.ts'
import type { Store } from '../../store/store.ts'
import {
  deleteEndpoint,
  type EndpointKey,
  type EndpointRow,
  insertEndpoint,
  listEndpoints,
  updateEndpointChoices,
  updateEndpointSecrets,
  webhookEndpointsTable,
} from '../../store/webhook-endpoints.ts'

import { urlForAudit } from '../merchants/audit-changes.ts'
import { keepValid, makeVerifiedRows } from '../verified-rows.ts'

import type { DeliveryAttemptDependencies } from './attempt-delivery.ts'
import type { WebhookSettings } from './settings.ts'
import { issueWebhookSecret } from './secrets.ts'
import { sendTestEvent, type TestEventResult } from './test-event.ts'

/** Webhook endpoints of merchants, their events and deliveries. An endpoint is identified by its URL or its id. */
export interface WebhookEndpointAdministration {
  /** Maximum number of endpoints per merchant. */
  readonly endpointsMax: number
  /** Returns the secret, which cannot be read again. */
  add(
    merchantId: string,
    url: string,
    by: AuditActor,
  ): Promise<{ readonly endpointId: string; readonly url: string; readonly secret: string } | SettingProblem>
  list(merchantId: string): Promise<EndpointLookup[]>
  /** A tampered endpoint is removed by its id only. */
  remove(merchantId: string, named: string | null, by: AuditActor): Promise<EndpointLookup | SettingProblem>
  /** Which events an endpoint gets. Members that are left out stay as they are; a change that changes nothing writes nothing. */
  change(merchantId: string, named: string, patch: EndpointPatch, by: AuditActor): Promise<EndpointRow | SettingProblem>
  /** The previous secret keeps signing beside the new one for a day. */
  rotateSecret(
    merchantId: string,
    named: string | null,
    by: AuditActor,
  ): Promise<{ readonly url: string; readonly secret: string; readonly bothUntil: number } | SettingProblem>
  /** Sends one test event at once, signed and posted like any other. It is not stored and not retried. */
  test(merchantId: string, named: string, by: AuditActor, signal: AbortSignal): Promise<TestEventResult | SettingProblem>
  events(merchantId: string, from: number, count: number): Promise<EventWithDeliveries[]>
  dead(merchantId: string, count: number): Promise<DeliveryRow[]>
  /** Schedules an event again, at all endpoints or at one. Returns the number of endpoints. */
  replay(merchantId: string, eventId: string, at: string | null, by: AuditActor): Promise<number>
  /** Schedules failed deliveries of one endpoint again, a page in one call, those that failed first. */
  replayFailed(merchantId: string, failed: FailedDeliveries, by: AuditActor): Promise<ReplayedDeliveries | SettingProblem>
}

export interface EndpointPatch {
  /** Empty for all. */
  readonly types?: readonly EventType[] | undefined
  readonly isEnabled?: boolean | undefined
}

export interface FailedDeliveries {
  /** The endpoint's URL or id; null: the merchant's only one. */
  readonly named: string | null
  /** When their last attempt failed. By default up to now. */
  readonly from?: number | undefined
  readonly to?: number | undefined
}

export interface ReplayedDeliveries extends ReplayedPage {
  readonly url: string
  /** The end of the time range. The next call gives it, so that what fails again meanwhile is not replayed twice. */
  readonly to: number
}

/** An endpoint whose row has a wrong MAC. Nothing of its content is shown or used. */
export interface TamperedEndpoint extends EndpointKey {
  readonly state: 'tampered'
}

export type EndpointLookup = EndpointRow | TamperedEndpoint

export function isTamperedEndpoint(endpoint: EndpointLookup): endpoint is TamperedEndpoint {
  return 'state' in endpoint
}

export interface EventWithDeliveries extends EventRow {
  readonly deliveries: readonly DeliveryRow[]
}

export interface WebhookEndpointDependencies extends DeliveryAttemptDependencies {
  readonly store: Store
  readonly settings: WebhookSettings
}

export function makeWebhookEndpointAdministration(deps: WebhookEndpointDependencies): WebhookEndpointAdministration {
  const { store, keyring, environment, clock, guard, settings } = deps
  const rows = makeVerifiedRows(deps, webhookEndpointsTable)
  const eventRows = makeVerifiedRows(deps, outboxTable)
  let testsRunning = 0
  return Object.freeze({
    endpointsMax: settings.endpointsMax,
    add,
    list,
    remove,
    change,
    rotateSecret,
    test,
    events,
    dead,
    replay,
    replayFailed,
  })

  async function add(merchantId: string, text: string, by: AuditActor): ReturnType<WebhookEndpointAdministration['add']> {
    if ((await store.read(findMerchant(merchantId))) === null) return new SettingProblem('merchant_unknown')
    const read = guard.readUrl(text)
    if (read instanceof SettingProblem) return read
    const bucket = bucketOf(merchantId)
    const now = clock.now()
    const named = { bucket, merchantId, endpointId: issueId(bucket, now), url: read.href }
    const { sealed, formatted } = await issueWebhookSecret(keyring, environment, named)
    const secrets = { secret: sealed, previousSecret: null, previousSecretEndsAt: 0 }
    const endpoint = await rows.seal({ ...named, ...secrets, types: '', disabledAt: 0, createdAt: now, version: 1, mac: new Uint8Array(0) })
    const isInserted = await store.write(insertEndpoint, {
      endpoint,
      maxEndpoints: settings.endpointsMax,
      audit: {
        ...auditEntryOf(named, by, 'webhook.added'),
        version: endpoint.version,
        mac: endpoint.mac,
        changes: [{ name: 'url', from: null, to: urlForAudit(named.url) }],
      },
    })
    if (!isInserted) return new SettingProblem('webhook_exists_or_full', settings.endpointsMax)
    return { endpointId: named.endpointId, url: named.url, secret: formatted }
  }

  /** A tampered row does not hide the others. */
  async function list(merchantId: string): Promise<EndpointLookup[]> {
    return Promise.all((await store.read(listEndpoints({ bucket: bucketOf(merchantId), merchantId }))).map(lookUp))
  }

  async function lookUp(row: EndpointRow): Promise<EndpointLookup> {
    if (await rows.isValid(row)) return row
    const { bucket, merchantId, endpointId } = row
    return { bucket, merchantId, endpointId, state: 'tampered' }
  }

  async function remove(merchantId: string, named: string | null, by: AuditActor): Promise<EndpointLookup | SettingProblem> {
    const endpoint = await find(merchantId, named)
    if (endpoint instanceof SettingProblem) return endpoint
    if (isTamperedEndpoint(endpoint) && named !== endpoint.endpointId) return new SettingProblem('webhook_tampered')
    // A tampered row does not say which version it was.
    const { version } = isTamperedEndpoint(endpoint)
      ? ((await store.read(findNewestAudited(endpoint.endpointId))) ?? { version: 1 })
      : endpoint
    // Nothing of a tampered row is repeated.
    const changes = isTamperedEndpoint(endpoint) ? [] : [{ name: 'url', from: urlForAudit(endpoint.url), to: null }]
    const audit = { ...auditEntryOf(endpoint, by, 'webhook.removed'), version: version + 1, changes }
    return (await store.write(deleteEndpoint, { key: endpoint, audit })) ? endpoint : new SettingProblem('webhook_unknown')
  }

  async function change(
    merchantId: string,
    named: string,
    { types, isEnabled }: EndpointPatch,
    by: AuditActor,
  ): ReturnType<WebhookEndpointAdministration['change']> {
    const endpoint = await findValid(merchantId, named)
    if (endpoint instanceof SettingProblem) return endpoint
    const next = {
      types: types === undefined ? endpoint.types : types.toSorted().join(' '),
      disabledAt: isEnabled === undefined || isEnabled === (endpoint.disabledAt === 0) ? endpoint.disabledAt : isEnabled ? 0 : clock.now(),
    }
    const changes = [
      // Null: all.
      { name: 'event_types', from: endpoint.types || null, to: next.types || null },
      { name: 'webhook_state', from: stateName(endpoint), to: stateName(next) },
    ].filter(({ from, to }) => from !== to)
    if (changes.length === 0) return endpoint
    const changed = await rows.seal({ ...endpoint, ...next, version: endpoint.version + 1 })
    const isChanged = await store.write(updateEndpointChoices, {
      endpoint: changed,
      previousMac: endpoint.mac,
      audit: { ...auditEntryOf(endpoint, by, 'webhook.changed'), version: changed.version, mac: changed.mac, changes },
    })
    return isChanged ? changed : new SettingProblem('webhook_changed_meanwhile')
  }

  async function rotateSecret(
    merchantId: string,
    named: string | null,
    by: AuditActor,
  ): ReturnType<WebhookEndpointAdministration['rotateSecret']> {
    const endpoint = await findValid(merchantId, named)
    if (endpoint instanceof SettingProblem) return endpoint
    const { sealed, formatted } = await issueWebhookSecret(keyring, environment, endpoint)
    const previousSecretEndsAt = clock.now() + settings.rotationMs
    const secrets = { secret: sealed, previousSecret: endpoint.secret, previousSecretEndsAt }
    const next = await rows.seal({ ...endpoint, ...secrets, version: endpoint.version + 1 })
    const isChanged = await store.write(updateEndpointSecrets, {
      endpoint: next,
      previousMac: endpoint.mac,
      audit: { ...auditEntryOf(endpoint, by, 'webhook.secret_rotated'), version: next.version, mac: next.mac },
    })
    return isChanged
      ? { url: endpoint.url, secret: formatted, bothUntil: previousSecretEndsAt }
      : new SettingProblem('webhook_changed_meanwhile')
  }

  async function test(
    merchantId: string,
    named: string,
    by: AuditActor,
    signal: AbortSignal,
  ): ReturnType<WebhookEndpointAdministration['test']> {
    const endpoint = await findValid(merchantId, named)
    if (endpoint instanceof SettingProblem) return endpoint
    if (testsRunning >= settings.testsMax) return new SettingProblem('webhook_tests_busy')
    testsRunning += 1
    try {
      const tested = await sendTestEvent(deps, endpoint, signal)
      await store.write(insertAuditEntry, { audit: { ...auditEntryOf(endpoint, by, 'webhook.tested'), outcome: tested.outcome } })
      return tested
    } finally {
      testsRunning -= 1
    }
  }

  /** Finds an endpoint by URL or id. With null: the merchant's only endpoint. */
  async function find(merchantId: string, named: string | null): Promise<EndpointLookup | SettingProblem> {
    const endpoints = await list(merchantId)
    const href = named === null ? null : (URL.parse(named)?.href ?? named)
    const [found, another] = endpoints.filter(
      (each) => href === null || each.endpointId === href || (!isTamperedEndpoint(each) && each.url === href),
    )
    if (found === undefined) return new SettingProblem('webhook_unknown')
    return another === undefined ? found : new SettingProblem('webhook_ambiguous')
  }

  async function findValid(merchantId: string, named: string | null): Promise<EndpointRow | SettingProblem> {
    const endpoint = await find(merchantId, named)
    if (endpoint instanceof SettingProblem) return endpoint
    return isTamperedEndpoint(endpoint) ? new SettingProblem('webhook_tampered') : endpoint
  }

  async function events(merchantId: string, from: number, count: number): Promise<EventWithDeliveries[]> {
    const found = await keepValid(eventRows, await store.read(listEvents({ bucket: bucketOf(merchantId), merchantId, from, count })))
    return Promise.all(found.map(async (event) => ({ ...event, deliveries: await store.read(listDeliveries(event)) })))
  }

  function dead(merchantId: string, count: number): Promise<DeliveryRow[]> {
    return store.read(listDeadDeliveries({ bucket: bucketOf(merchantId), merchantId, count }))
  }

  function replay(merchantId: string, eventId: string, endpointId: string | null, by: AuditActor): Promise<number> {
    const bucket = bucketOf(merchantId)
    return store.write(replayEvent, {
      bucket,
      merchantId,
      eventId,
      endpointId,
      now: clock.now(),
      audit: auditEntryOf({ merchantId, endpointId: eventId }, by, 'event.replayed'),
    })
  }

  async function replayFailed(
    merchantId: string,
    { named, from = 0, to = Infinity }: FailedDeliveries,
    by: AuditActor,
  ): ReturnType<WebhookEndpointAdministration['replayFailed']> {
    const endpoint = await findValid(merchantId, named)
    if (endpoint instanceof SettingProblem) return endpoint
    if (endpoint.disabledAt !== 0) return new SettingProblem('webhook_disabled')
    const { bucket, endpointId, url } = endpoint
    const now = clock.now()
    const failed = { bucket, merchantId, endpointId, from, to: Math.min(to, now) }
    const audit = auditEntryOf(endpoint, by, 'webhook.failed_replayed')
    const replayed = await store.write(replayFailedDeliveries, { ...failed, now, audit })
    return { ...replayed, url, to: failed.to }
  }

  function auditEntryOf(
    { merchantId, endpointId: subject }: Pick<EndpointKey, 'merchantId' | 'endpointId'>,
    { actor, requestId, address }: AuditActor,
    action: string,
  ): AuditEntry {
    const base = { at: clock.now(), actor, requestId, address, action, outcome: 'done' }
    return { ...base, merchantId, subject, version: 0, mac: new Uint8Array(0) }
  }
}

function stateName({ disabledAt }: Pick<EndpointRow, 'disabledAt'>): string {
  return disabledAt === 0 ? 'on' : 'off'
}
