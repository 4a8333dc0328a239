import { amountTiyinMax } from '@tessera/contract/amount'

import type { MerchantRow } from '../store/store.ts'

import type { AccountField } from './account.ts'

/** What a merchant has laid down for its receipts. */
export interface ReceiptTerms {
  /** None: any fields are taken. */
  readonly accountFields: readonly AccountField[]
  readonly amountTiyinMin: number
  readonly amountTiyinMax: number
}

/** The terms of a merchant; the one place where its settings become rules for receipts. */
export function termsOf(_merchant: MerchantRow | null): ReceiptTerms {
  return noTerms
}

const noTerms: ReceiptTerms = Object.freeze({ accountFields: [], amountTiyinMin: 1, amountTiyinMax })
