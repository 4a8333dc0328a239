import { currencyUzs } from '@tessera/contract/amount'
import { KeyDestroyed, KeyUnknown, type Keyring } from '@tessera/vault/keyring'
import { isRowMacOf, macKeyIdOf, makeRowMac, type MacField } from '@tessera/vault/rowmac'

import type { ReceiptRow } from '../store/store.ts'

/** Makes and checks the MAC of receipt rows: nobody who merely writes the database turns an unpaid receipt into a paid one. */
export interface ReceiptMac {
  /** The same row with its MAC. */
  seal(receipt: ReceiptRow): Promise<ReceiptRow>
  isTrue(receipt: ReceiptRow): Promise<boolean>
}

export function makeReceiptMac(keyring: Keyring, environment: string): ReceiptMac {
  return Object.freeze({
    async seal(receipt: ReceiptRow) {
      return { ...receipt, mac: makeRowMac(await keyring.active('row_mac'), table, environment, receiptFields(receipt)) }
    },
    async isTrue(receipt: ReceiptRow) {
      try {
        const dek = await keyring.byId(macKeyIdOf(receipt.mac))
        return dek.purpose === 'row_mac' && isRowMacOf(dek, receipt.mac, table, environment, receiptFields(receipt))
      } catch (err) {
        if (err instanceof KeyUnknown || err instanceof KeyDestroyed) return false
        throw err
      }
    },
  })
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

const table = 'receipts'
