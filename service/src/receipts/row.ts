import { currencyUzs } from '@tessera/contract/amount'
import type { Keyring } from '@tessera/vault/keyring'
import { makeRowMacs, type MacField, type RowMacs } from '@tessera/vault/rowmac'

import type { ReceiptRow } from '../store/store.ts'

/** Nobody who merely writes the database turns an unpaid receipt into a paid one. */
export type ReceiptMac = RowMacs<ReceiptRow>

export function makeReceiptMac(keyring: Keyring, environment: string): ReceiptMac {
  return makeRowMacs(keyring, { table: 'receipts', environment, fieldsOf: receiptFields })
}

/** Everything that a receipt row says, in a fixed order. A new column goes to the end, and old rows get their MAC anew. */
function receiptFields(receipt: ReceiptRow): readonly MacField[] {
  return [
    ...[receipt.bucket, receipt.merchantId, receipt.receiptId, receipt.version, receipt.state],
    ...[receipt.amountTiyin, receipt.takenTiyin, currencyUzs, receipt.hold],
    ...[receipt.description, receipt.detail, receipt.account, receipt.payer, receipt.error],
    ...[receipt.cardId, receipt.maskedPan, receipt.cardExpiry, receipt.oneTime],
    ...[receipt.networkRef, receipt.requestId, receipt.customer],
    ...[receipt.createdAt, receipt.payTime, receipt.cancelTime, receipt.sourceCancel, receipt.fiscal],
    ...[receipt.unknownSince, receipt.flagged, receipt.dueAt, receipt.looks],
  ]
}
