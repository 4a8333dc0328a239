import type { IdempotencySettings } from '../domain/idempotency/dependencies.ts'
import { wakeClaims } from '../domain/idempotency/wake-claims.ts'
import type { PaymentDependencies } from '../domain/payments/dependencies.ts'
import { wakeReceipts } from '../domain/payments/wake-receipts.ts'
import { webhookSettings } from '../domain/webhooks/settings.ts'
import { wakeDeliveries } from '../domain/webhooks/wake-deliveries.ts'
import type { Log } from '../ops/logging/log.ts'

import type { DomainBase } from './domain-base.ts'

export interface WakePostponedDependencies {
  readonly base: DomainBase
  readonly payments: PaymentDependencies
  readonly idempotency: IdempotencySettings
  readonly log: Pick<Log, 'info'>
}

/** Makes due whatever a clock that was ahead has postponed: receipts, deliveries of events, and the leases of keys. What fails for one does not keep the others. */
export function makeWakePostponed({ base, payments, idempotency, log }: WakePostponedDependencies) {
  return async function wakePostponed(stopping?: AbortSignal): Promise<void> {
    const failed: unknown[] = []
    const count = (woken: Promise<number>): Promise<number> => woken.catch((err: unknown) => (failed.push(err), 0))
    const receipts = await count(wakeReceipts(payments, stopping))
    const deliveries = await count(wakeDeliveries({ ...base, settings: webhookSettings }, stopping))
    const keys = await count(wakeClaims({ ...base, settings: idempotency }, stopping))
    if (receipts + deliveries + keys > 0) log.info('postponed_work_due', { receipts, deliveries, keys })
    if (failed.length > 0) throw failed[0]
  }
}
