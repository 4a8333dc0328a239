import { currencyUzs } from '@tessera/contract/amount'
import { shortMask } from '@tessera/contract/card'
import type { Profile } from '@tessera/contract/envelope'
import type { Result } from '@tessera/contract/methods'

import type { ReceiptRow } from '../store/store.ts'

export type ReceiptOnWire = Result<'receipts.get'>['receipt']

/** A receipt with the merchant that it belongs to. */
export interface ToldReceipt {
  readonly receipt: ReceiptRow
  readonly merchant: ToldMerchant
}

/** What a receipt tells of its merchant; '' for what is not known. */
export interface ToldMerchant {
  readonly id: string
  readonly name: string
  readonly organization: string
  readonly address: string
  readonly createdAt: number
  readonly businessId: string
  readonly epos: { readonly merchantId: string; readonly terminalId: string }
}

/** A receipt as a merchant sees it; the members stand in the order of the wire, here alone. */
export function renderReceipt({ receipt, merchant }: ToldReceipt, profile: Profile): ReceiptOnWire {
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
    error: readErrorRow(receipt),
    description: receipt.description,
    detail: readJson(receipt.detail) as object | null,
    amount: amountOf(receipt),
    currency: currencyUzs,
    commission: 0,
    account: readAccountRow(receipt),
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

/** What it is for, and once money moved, how much: after a partial confirmation that is less. */
export function amountOf({ amountTiyin, takenTiyin }: ReceiptRow): number {
  return takenTiyin > 0 ? takenTiyin : amountTiyin
}

/** YYMM here, and MMYY everywhere else: so the wire has it. */
function renderPayingCard({ maskedPan, cardExpiry }: ReceiptRow, profile: Profile): ReceiptOnWire['card'] {
  if (maskedPan === '') return null
  const number = profile === 'spec' ? shortMask(maskedPan) : maskedPan
  return { number, expire: `${cardExpiry.slice(2)}${cardExpiry.slice(0, 2)}` }
}

function renderMerchant({ id, name, organization, address, createdAt, businessId, epos }: ToldMerchant): ReceiptOnWire['merchant'] {
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

export function readAccountRow({ account }: ReceiptRow): AccountEntry[] {
  return readJson(account) as AccountEntry[]
}

/** Why the last payment was refused. */
export interface KeptError {
  readonly code: number
  readonly message: string
  /** The error of the merchant's own endpoint, where that refused. */
  readonly data?: object
  readonly reason: string
}

export function readErrorRow({ error }: ReceiptRow): KeptError | null {
  return readJson(error) as KeptError | null
}

/** What we wrote ourselves, under the row's MAC. */
function readJson(json: string | null): unknown {
  return json === null ? null : JSON.parse(json)
}
