import type { Clock } from '../../clock.ts'
import type { SmsDeliveryReport } from '../../adapters/sms/sms.ts'
import { findKnownSmsIds, recordSmsDelivery, reportedIdsMax } from '../../store/sms-sends.ts'
import type { Store } from '../../store/store.ts'

import { storedGatewayId, storedSmsError } from './stored-text.ts'

/** Stores what gateways report of messages that they accepted. */
export interface DeliveryReports {
  /**
   * Resolves when the report is stored, or is held because no message has its id yet: a report may come before the reply to its message, or to another
   * process than the one that sent it. A report whose id could be of no stored message is forgotten. Rejects when the store is away; the gateway should report again.
   */
  record(gateway: string, report: SmsDeliveryReport): Promise<void>
  /** To be called when a message of this id is stored: a report that came before is stored now. */
  messageStored(gateway: string, gatewayMessageId: string): Promise<void>
  /** Tries the reports again that are held. To be called every few seconds. Ends early when the signal is aborted. */
  runOnce(stopping?: AbortSignal): Promise<void>
  /** How many are held. */
  held(): number
}

export interface DeliveryReportDependencies {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Pick<Clock, 'now'>
}

interface HeldReport {
  readonly gateway: string
  readonly report: SmsDeliveryReport
  readonly at: number
  /** How often it was tried again. */
  attempts: number
}

export function makeDeliveryReports({ store, clock }: DeliveryReportDependencies): DeliveryReports {
  const held = new Map<string, HeldReport>()
  return Object.freeze({ record, messageStored, runOnce, held: () => held.size })

  async function record(gateway: string, report: SmsDeliveryReport): Promise<void> {
    if (storedGatewayId(report.gatewayMessageId) === '') return
    const received = { gateway, report, at: clock.now(), attempts: 0 }
    if (await write(received)) return
    const key = keyOf(gateway, report.gatewayMessageId)
    held.delete(key)
    // The oldest is forgotten, so that a gateway that reports what was never sent fills no memory.
    for (const oldest of held.keys()) {
      if (held.size < maxHeld) break
      held.delete(oldest)
    }
    held.set(key, received)
  }

  async function messageStored(gateway: string, gatewayMessageId: string): Promise<void> {
    const report = held.get(keyOf(gateway, gatewayMessageId))
    if (report !== undefined) await retry(keyOf(gateway, gatewayMessageId), report)
  }

  /** Most of them may be of another program on the same account: one query finds out about a page of them, and only what is ours is written. */
  async function runOnce(stopping?: AbortSignal): Promise<void> {
    const due = [...held.values()].filter(({ at, attempts }) => clock.now() >= at + (retriesMs[attempts] ?? 0))
    for (const [gateway, reports] of Map.groupBy(due, (each) => each.gateway)) {
      for (let from = 0; from < reports.length; from += reportedIdsMax) {
        if (stopping?.aborted === true) return
        await retryPage(gateway, reports.slice(from, from + reportedIdsMax))
      }
    }
  }

  async function retryPage(gateway: string, page: readonly HeldReport[]): Promise<void> {
    const ids = page.map(({ report }) => report.gatewayMessageId)
    const known = await store.read(findKnownSmsIds(gateway, ids))
    for (const each of page) {
      const key = keyOf(gateway, each.report.gatewayMessageId)
      if (known.has(each.report.gatewayMessageId)) await retry(key, each)
      each.attempts++
      if (each.attempts >= retriesMs.length && held.get(key) === each) held.delete(key)
    }
  }

  async function retry(key: string, report: HeldReport): Promise<void> {
    if ((await write(report)) && held.get(key) === report) held.delete(key)
  }

  function write({ gateway, report, at }: HeldReport): Promise<boolean> {
    const isDelivered = report.outcome === 'delivered'
    return store.write(recordSmsDelivery, {
      gateway,
      gatewayMessageId: storedGatewayId(report.gatewayMessageId),
      deliveredAt: isDelivered ? at : null,
      failedAt: isDelivered ? null : at,
      error: isDelivered ? '' : storedSmsError(report.error ?? 'not delivered'),
      after: at - reusedAfterMs,
    })
  }
}

function keyOf(gateway: string, gatewayMessageId: string): string {
  return `${gateway} ${gatewayMessageId}`
}

const maxHeld = 10_000
/**
 * When a report is tried again, after it came; then it is forgotten. Longer than any reply is waited for, and seldom, because an account that other systems
 * use as well gets reports of their messages.
 */
const retriesMs = [5000, 30_000, 180_000]
/** SMSCs deliver for three days at most, and may use the id of a message again afterwards. */
const reusedAfterMs = 4 * 86_400_000
