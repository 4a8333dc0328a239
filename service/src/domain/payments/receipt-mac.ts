import { currencyUzs } from '@tessera/contract/receipt'
import type { Keyring } from '@tessera/vault/keyring'
import { type MacField, makeRowAuthenticator, type RowAuthenticator } from '@tessera/vault/rowmac'

import type { ReceiptRow } from '../../store/receipts.ts'

/** Who can write the database but not read the keys cannot turn an unpaid receipt into a paid one. */
export type ReceiptMac = RowAuthenticator<ReceiptRow>

export function makeReceiptMac(keyring: Keyring, environment: string): ReceiptMac {
  return makeRowAuthenticator(keyring, { table: 'receipts', environment, fieldsOf: receiptFields })
}

/** Every column in a fixed order. A new column goes to the end, and needs a migration that computes the MACs of old rows again. */
function receiptFields(receipt: ReceiptRow): readonly MacField[] {
  return [
    receipt.bucket,
    receipt.merchantId,
    receipt.receiptId,
    receipt.version,
    receipt.state,
    receipt.amountTiyin,
    receipt.takenTiyin,
    currencyUzs,
    receipt.hold,
    receipt.description,
    receipt.detail,
    receipt.account,
    receipt.payer,
    receipt.error,
    receipt.cardId,
    receipt.maskedPan,
    receipt.cardExpiry,
    receipt.oneTime,
    receipt.networkRef,
    receipt.requestId,
    receipt.customer,
    receipt.createdAt,
    receipt.payTime,
    receipt.cancelTime,
    receipt.sourceCancel,
    receipt.fiscal,
    receipt.unknownSince,
    receipt.flagged,
    receipt.dueAt,
    receipt.reconcileAttempts,
  ]
}
