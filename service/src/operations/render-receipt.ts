import { readAmount } from '@tessera/contract/receipt'
import { RpcError } from '@tessera/contract/errors'

import { renderReceipt, type ReceiptWithMerchant } from '../domain/payments/render.ts'
import type { RequestContext } from '../domain/request-context.ts'

/** The result of operations that return a receipt, in the profile of the request. */
export function receiptResult(receipt: ReceiptWithMerchant, _params: object, { profile }: RequestContext) {
  return { receipt: renderReceipt(receipt, profile) }
}

/** Throws `amountInvalid` unless the amount is a positive integer of tiyin or absent. */
export function expectAmount({ amount }: { readonly amount?: number | null }): void {
  if (typeof amount === 'number' && readAmount(amount) === null) throw new RpcError('amountInvalid', { data: 'amount' })
}
