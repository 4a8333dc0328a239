import { maskPhone } from '@tessera/contract/card'
import { issueId } from '@tessera/vault/id'
import { hashPhone } from '@tessera/vault/keyed-hashes'
import { type Keyring, KeyNotRetiredError } from '@tessera/vault/keyring'

import type { Clock } from '../../clock.ts'
import { insertAuditEntry } from '../../store/audit.ts'
import {
  countSmsSends,
  deleteOldSmsSends,
  findDeliveryTime,
  findSmsSend,
  listSmsSends,
  type SmsGatewayCounts,
  type SmsSendRow,
} from '../../store/sms-sends.ts'
import { deleteInPages, type Store } from '../../store/store.ts'
import type { PeerBreakerState } from '../limits/peer-breaker.ts'
import type { AuditActor, RequestContext } from '../request-context.ts'

import { sendThrough, type SmsGateway, type SmsSenderDependencies } from './sms-sender.ts'

/** The stored messages for operators, and the job that deletes old ones. */
export interface SmsAdministration {
  /** For how many days messages are stored. */
  readonly days: number
  /** The newest messages to a phone, newest first. Audited before. */
  find(phone: string, count: number, by: AuditActor): Promise<SmsSendRow[]>
  /** What became of the messages since a time, for each gateway that is configured or was used. */
  statistics(sinceMs: number): Promise<{ readonly since: number; readonly gateways: readonly SmsGatewayStatistics[] }>
  /** Sends a test message through each gateway, or the named one. Audited before. Null when there is none of this name. */
  test(phone: string, gateway: string | null, by: SmsTester): Promise<TestedSms[] | null>
  /** Deletes messages, and then keys that no message is found under any more; returns how many messages. */
  deleteOld(stopping?: AbortSignal): Promise<number>
}

export type SmsTester = AuditActor & Pick<RequestContext, 'signal'>

export interface SmsGatewayStatistics extends SmsGatewayCounts {
  readonly isConfigured: boolean
  readonly breaker: PeerBreakerState | 'none'
  readonly medianDeliveryMs: number | null
}

export interface TestedSms {
  readonly send: SmsSendRow
  readonly ms: number
}

export interface SmsAdministrationDependencies extends SmsSenderDependencies {
  readonly store: Pick<Store, 'read' | 'write'>
  /** For counts, which read many rows. */
  readonly scanning: Pick<Store, 'read'>
  readonly keyring: Pick<Keyring, 'active' | 'byId' | 'list' | 'destroy'>
  readonly clock: Clock
  readonly settings: { readonly days: number; readonly timeoutMs: number; readonly providerName: string }
}

export function makeSmsAdministration(deps: SmsAdministrationDependencies): SmsAdministration {
  const { store, scanning, keyring, clock, gateways, settings } = deps
  return Object.freeze<SmsAdministration>({ days: settings.days, find, statistics, test, deleteOld })

  async function find(phone: string, count: number, by: AuditActor): Promise<SmsSendRow[]> {
    await audit(by, 'sms.looked_up', phone)
    const found: SmsSendRow[] = []
    for (const { keyId } of phoneKeys()) {
      const phoneHash = hashPhone(await keyring.byId(keyId), Buffer.from(phone, 'latin1'))
      found.push(...(await store.read(listSmsSends({ keyId, phoneHash, count }))))
    }
    return found.sort((a, b) => b.requestedAt - a.requestedAt).slice(0, count)
  }

  async function statistics(sinceMs: number) {
    const since = clock.now() - sinceMs
    const counted = await scanning.read(countSmsSends(since))
    const unused = gateways.filter(({ name }) => !counted.some(({ gateway }) => gateway === name)).map(({ name }) => noSends(name))
    const listed: SmsGatewayStatistics[] = []
    for (const counts of [...counted, ...unused]) {
      const configured = gateways.find(({ name }) => name === counts.gateway)
      const faster = Math.floor((counts.delivered - 1) / 2)
      const medianDeliveryMs = counts.delivered === 0 ? null : await medianOf(counts.gateway, since, faster)
      listed.push({ ...counts, isConfigured: configured !== undefined, breaker: configured?.gate.breakerState ?? 'none', medianDeliveryMs })
    }
    return { since, gateways: listed }
  }

  /** Never below zero: a report may come before the reply to its message. */
  async function medianOf(gateway: string, since: number, faster: number): Promise<number | null> {
    const ms = await scanning.read(findDeliveryTime(gateway, since, faster))
    return ms === null ? null : Math.max(0, ms)
  }

  async function test(phone: string, gateway: string | null, by: SmsTester): Promise<TestedSms[] | null> {
    const chosen = gateways.filter(({ name }) => gateway === null || name === gateway)
    if (chosen.length === 0) return null
    await audit(by, 'sms.tested', phone)
    const tested: TestedSms[] = []
    for (const each of chosen) tested.push(await testThrough(each, phone, by.signal))
    return tested
  }

  async function testThrough(gateway: SmsGateway, phone: string, signal: AbortSignal): Promise<TestedSms> {
    const messageId = issueId(0, clock.now())
    const text = `${settings.providerName}: test message ${messageId.slice(-6)}.`
    const message = { messageId, merchantId: '', phone, text, lifetimeSeconds: 3600, purpose: 'test', subject: '' } as const
    const startedAt = clock.moment().monotonicMs
    // An operator tests a gateway whatever the state of its breaker is.
    await sendThrough(deps, { ...gateway, gate: { refusalMs: () => 0, call: (_merchantId, run) => run() } }, message, {
      timeoutMs: settings.timeoutMs,
      signal,
    })
    const send = await store.read(findSmsSend({ messageId, gateway: gateway.name }))
    if (send === null) throw new Error('the test message was not stored')
    return { send, ms: clock.moment().monotonicMs - startedAt }
  }

  async function deleteOld(stopping?: AbortSignal): Promise<number> {
    const before = clock.now() - settings.days * dayMs
    const deleted = await deleteInPages(store, deleteOldSmsSends, before, stopping)
    const keys = phoneKeys()
    for (const [at, { keyId }] of keys.entries()) {
      const next = keys[at + 1]
      // Messages under a key are older than the key that followed it; an hour for those that were on their way at that moment.
      if (next === undefined || next.createdAt > before - hourMs) continue
      await keyring.destroy(keyId).catch(ignoreInUse)
    }
    return deleted
  }

  /** Oldest first. */
  function phoneKeys() {
    return keyring
      .list()
      .filter(({ purpose, state }) => purpose === 'phone' && state !== 'destroyed')
      .sort((a, b) => a.epoch - b.epoch)
  }

  async function audit(by: AuditActor, action: 'sms.looked_up' | 'sms.tested', phone: string): Promise<void> {
    const { actor, requestId, address } = by
    const entry = { at: clock.now(), actor, action, merchantId: '', subject: maskPhone(phone), version: 0, mac: new Uint8Array(0) }
    await store.write(insertAuditEntry, { audit: { ...entry, requestId, address, outcome: 'requested' } })
  }
}

function noSends(gateway: string): SmsGatewayCounts {
  return { gateway, sent: 0, accepted: 0, rejected: 0, unknown: 0, delivered: 0, failed: 0, parts: 0 }
}

/** A key that cannot be destroyed now is destroyed in a later run. */
function ignoreInUse(err: unknown): void {
  if (!(err instanceof KeyNotRetiredError)) throw err
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
