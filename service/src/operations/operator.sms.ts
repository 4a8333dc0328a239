import { operatorSmsFindContract, operatorSmsStatusContract, operatorSmsTestContract } from '@tessera/contract/operations/operator-sms'

import type { SmsSendRow } from '../store/sms-sends.ts'

import { operation } from './operation.ts'
import { isoTime, refusal } from './operator.ts'

/** Lists the newest messages to a phone. The request is audited before. */
export const operatorSmsFind = operation(operatorSmsFindContract, {
  async run({ phone, count }, ctx, { smsSends }) {
    return { messages: (await smsSends.find(phone, count, ctx)).map(toSentSms), days: smsSends.days }
  },
})

/** Returns what became of the messages of the last hours, for each gateway. */
export const operatorSmsStatus = operation(operatorSmsStatusContract, {
  async run({ hours }, _ctx, { smsSends }) {
    const { since, gateways } = await smsSends.statistics(hours * 3_600_000)
    return {
      since: isoTime(since),
      gateways: gateways.map(({ medianDeliveryMs, ...counts }) => ({
        ...counts,
        medianDeliverySeconds: medianDeliveryMs === null ? null : medianDeliveryMs / 1000,
      })),
    }
  },
})

/** Sends a test message through each gateway. The request is audited before. */
export const operatorSmsTest = operation(operatorSmsTestContract, {
  async run({ phone, gateway }, ctx, { smsSends }) {
    const tested = await smsSends.test(phone, gateway ?? null, ctx)
    if (tested === null) throw refusal('sms_gateway_unknown', gateway)
    return { messages: tested.map(({ send, ms }) => ({ ...toSentSms(send), milliseconds: ms })) }
  },
})

function toSentSms({
  phoneMask,
  keyId: _keyId,
  phoneHash: _phoneHash,
  requestedAt,
  acceptedAt,
  deliveredAt,
  failedAt,
  ...send
}: SmsSendRow) {
  return {
    ...send,
    phone: phoneMask,
    requestedAt: isoTime(requestedAt),
    acceptedAt: isoTimeOrNull(acceptedAt),
    deliveredAt: isoTimeOrNull(deliveredAt),
    failedAt: isoTimeOrNull(failedAt),
  }
}

function isoTimeOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at)
}
