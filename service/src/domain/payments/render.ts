import { currencyUzs } from '@tessera/contract/receipt'
import { shortMask, toYearMonth } from '@tessera/contract/card'
import type { Profile } from '@tessera/contract/envelope'
import type { Result } from '@tessera/contract/operations'

import type { ReceiptRow } from '../../store/receipts.ts'
import type { RequestContext } from '../request-context.ts'

export type WireReceipt = Result<'receipts.get'>['receipt']

/** A receipt with the merchant that it belongs to. */
export interface ReceiptWithMerchant {
  readonly receipt: ReceiptRow
  readonly merchant: ReceiptMerchant
}

/** The merchant's data in a receipt; '' if unknown. */
export interface ReceiptMerchant {
  readonly id: string
  readonly name: string
  readonly organization: string
  readonly address: string
  readonly createdAt: number
  readonly businessId: string
  readonly epos: { readonly merchantId: string; readonly terminalId: string }
}

/** A receipt as the API returns it. The order of the members is fixed. */
export function renderReceipt({ receipt, merchant }: ReceiptWithMerchant, profile: Profile): WireReceipt {
  return {
    _id: receipt.receiptId,
    create_time: receipt.createdAt,
    pay_time: receipt.payTime,
    cancel_time: receipt.cancelTime,
    state: receipt.state,
    type: 2,
    external: false,
    operation: -1,
    category: null,
    error: parsePaymentError(receipt),
    description: receipt.description,
    detail: readJson(receipt.detail) as object | null,
    amount: effectiveAmount(receipt),
    currency: currencyUzs,
    commission: 0,
    account: parseAccount(receipt),
    card: renderPayingCard(receipt, profile),
    merchant: renderMerchant(merchant),
    meta: {
      source: 'subscribe',
      owner: merchant.id,
      ...(receipt.sourceCancel === null ? {} : { source_cancel: receipt.sourceCancel }),
    },
    payer: readJson(receipt.payer) as object | null,
    processing_id: null,
  }
}

/** The result of operations that return a receipt, in the profile of the request. */
export function receiptResult(receipt: ReceiptWithMerchant, _params: object, { profile }: RequestContext) {
  return { receipt: renderReceipt(receipt, profile) }
}

/** The debited or held amount, which a partial capture reduces; before the payment the requested amount. */
export function effectiveAmount({ amountTiyin, takenTiyin }: ReceiptRow): number {
  return takenTiyin > 0 ? takenTiyin : amountTiyin
}

/** The expiry here is YYMM, while everywhere else in the API it is MMYY (docs/reference/wire.md#receipts). */
function renderPayingCard({ maskedPan, cardExpiry }: ReceiptRow, profile: Profile): WireReceipt['card'] {
  if (maskedPan === '') return null
  const number = profile === 'spec' ? shortMask(maskedPan) : maskedPan
  return { number, expire: toYearMonth(cardExpiry) }
}

function renderMerchant({ id, name, organization, address, createdAt, businessId, epos }: ReceiptMerchant): WireReceipt['merchant'] {
  return {
    _id: id,
    name,
    organization,
    address,
    business_id: businessId,
    epos: { merchantId: epos.merchantId, terminalId: epos.terminalId },
    date: createdAt,
    logo: null,
    type: 'Internet',
    terms: null,
  }
}

export interface AccountEntry {
  name: string
  title: string
  value: string
  main: boolean
}

export function parseAccount({ account }: ReceiptRow): AccountEntry[] {
  return readJson(account) as AccountEntry[]
}

/** Why the last payment failed. */
export interface PaymentError {
  readonly code: number
  readonly message: string
  /** The error of the merchant's own endpoint. */
  readonly data?: object
  readonly reason: string
}

export function parsePaymentError({ error }: ReceiptRow): PaymentError | null {
  return readJson(error) as PaymentError | null
}

/** JSON that this service wrote, protected by the row's MAC. */
function readJson(json: string | null): unknown {
  return json === null ? null : JSON.parse(json)
}
