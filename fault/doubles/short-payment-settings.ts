import * as real from '../../service/src/domain/payments/settings.ts'

/** The payment settings with a lease that a run of many kills can wait for, still longer than the network timeout. */
function shortPaymentSettings(...settings: Parameters<typeof real.paymentSettings>): real.PaymentSettings {
  return { ...real.paymentSettings(...settings), leaseMs: 2000, initialBackoffMs: 200, maxBackoffMs: 2000 }
}

export { shortPaymentSettings as paymentSettings }
export type { PaymentSettings } from '../../service/src/domain/payments/settings.ts'
