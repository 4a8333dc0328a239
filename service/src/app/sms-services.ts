import { randomInteger } from '@tessera/vault/random'

import type { NamedPort } from '../adapters/adapter.ts'
import type { Sms, SmsDeliveryReport } from '../adapters/sms/sms.ts'
import { makeDeliveryChecks } from '../domain/sms/delivery-checks.ts'
import { makeDeliveryReports } from '../domain/sms/delivery-reports.ts'
import { makeSmsAdministration } from '../domain/sms/sms-administration.ts'
import { makeSmsSender, type SmsGateway } from '../domain/sms/sms-sender.ts'
import type { Config } from '../ops/config/config.ts'
import type { Log } from '../ops/logging/log.ts'
import type { Metrics } from '../ops/metrics/metrics.ts'
import type { Store } from '../store/store.ts'

import type { DomainBase } from './domain-base.ts'

export interface SmsServiceDependencies {
  readonly base: Pick<DomainBase, 'store' | 'keyring' | 'clock'>
  readonly scanning: Pick<Store, 'read'>
  readonly gateways: readonly SmsGateway[]
  /** The same without their bounds; they report deliveries. */
  readonly adapters: readonly NamedPort<Sms>[]
  readonly log: Log
  readonly metrics: Pick<Metrics, 'countSmsDelivery'>
}

/** What sends messages and stores each, the reports of their delivery, and the operators' view of them. */
export function createSmsServices(config: Config, { base, scanning, gateways, adapters, log, metrics }: SmsServiceDependencies) {
  const { store, keyring, clock } = base
  const smsReports = makeDeliveryReports({ store, clock })
  // Counted when it is stored: one that cannot be stored comes again.
  const record = async (gateway: string, report: SmsDeliveryReport): Promise<void> => {
    await smsReports.record(gateway, report)
    metrics.countSmsDelivery({ gateway, outcome: report.outcome })
  }
  for (const { name, port } of adapters) port.watchDeliveries?.((report) => record(name, report))
  const smsChecks = makeDeliveryChecks({
    gateways: adapters,
    record,
    store: scanning,
    clock,
    onUnavailable: (gateway, pauseMs, err) =>
      log.warn('sms_status_unavailable', { gateway, seconds: pauseMs / 1000, ...(err !== undefined && { err }) }),
  })
  const sending = {
    gateways,
    random: randomInteger,
    store,
    keyring,
    clock,
    reports: {
      messageStored(gateway: string, gatewayMessageId: string) {
        smsChecks.messageStored(gateway, gatewayMessageId)
        return smsReports.messageStored(gateway, gatewayMessageId)
      },
    },
    onUnstored: (err: unknown) => log.error('sms_result_not_stored', { err }),
  }
  const settings = { days: config.smsSendsDays, timeoutMs: config.smsTimeoutMs, providerName: config.providerName ?? 'Tessera' }
  return {
    sms: makeSmsSender(sending),
    smsReports,
    smsChecks,
    smsSends: makeSmsAdministration({ ...sending, store, keyring, scanning, settings }),
  }
}
