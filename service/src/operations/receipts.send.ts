import { receiptsSendContract } from '@tessera/contract/operations/receipts'

import { assertPhone } from '../domain/payments/send.ts'

import { operation } from './operation.ts'

/** Sends a receipt to a phone by SMS, in the caller's language. */
export const receiptsSend = operation(receiptsSendContract, {
  check: ({ phone }) => assertPhone(phone),
  async run({ id, phone }, ctx, { receipts }) {
    await receipts.send({ receiptId: id, phone, language: ctx.language }, ctx)
    return 'success' as const
  },
  // A message without a stored outcome counts as sent.
  reconcile: async ({ isExpired }) => (isExpired ? ('success' as const) : null),
  render: () => ({ success: true }),
})
