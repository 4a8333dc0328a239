import { amountTiyinMax } from '@tessera/contract/amount'
import type { Language } from '@tessera/contract/envelope'

import type { Merchant } from '../merchants/book.ts'

import type { AccountField } from './account.ts'

/** What a merchant has laid down for its receipts. */
export interface ReceiptTerms {
  /** None: any fields are taken. */
  readonly accountFields: readonly AccountField[]
  readonly amountTiyinMin: number
  readonly amountTiyinMax: number
}

/** The terms of a merchant, titles in the language of who asks; the one place where its settings become rules for receipts. */
export function termsOf(merchant: Merchant | null, language: Language): ReceiptTerms {
  if (merchant === null) return noTerms
  const { accountFields, minAmount, maxAmount } = merchant.settings
  return {
    accountFields: accountFields.map(({ name, title, required }) => ({ name, title: title[language], isRequired: required })),
    amountTiyinMin: minAmount,
    amountTiyinMax: maxAmount,
  }
}

const noTerms: ReceiptTerms = Object.freeze({ accountFields: [], amountTiyinMin: 1, amountTiyinMax })
