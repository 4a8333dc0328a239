import { readAmount } from '@tessera/contract/amount'
import type { Language } from '@tessera/contract/envelope'
import { RpcError } from '@tessera/contract/errors'
import { receiptStates } from '@tessera/contract/receipt'
import { issueId } from '@tessera/vault/id'

import type { ReceiptRow } from '../store/store.ts'

import { makeAccount, type GivenAccount } from './account.ts'
import { unpaidEndsAt } from './life.ts'
import { noteReceipt } from './note.ts'
import { riders, TwinFound, type ReceiptAsker } from './riders.ts'
import { termsOf } from './terms.ts'
import type { ReceiptTools } from './tools.ts'

/** A request to pay, as the merchant's server gave it. */
export interface AskedReceipt {
  /** Tiyin. */
  readonly sum: number
  readonly account: GivenAccount
  readonly description: string
  readonly detail: object | null
  readonly hold: boolean
  /** Of the titles in its account. */
  readonly language: Language
}

/** Keeps a new receipt: state 0, for twelve hours. */
export async function createReceipt(tools: ReceiptTools, asked: AskedReceipt, asker: ReceiptAsker): Promise<ReceiptRow> {
  const amountTiyin = readAmount(asked.sum)
  if (amountTiyin === null) throw new RpcError('amountInvalid', { data: 'amount' })
  const terms = termsOf(await tools.merchants.find(asker.merchantId), asked.language)
  if (amountTiyin < terms.amountTiyinMin) throw new RpcError('amountBelowLimit', { data: 'amount' })
  if (amountTiyin > terms.amountTiyinMax) throw new RpcError('amountAboveLimit', { data: 'amount' })
  const now = tools.clock.now()
  const receiptId = issueId(asker.bucket, now)
  const account = JSON.stringify(makeAccount(asked.account, terms.accountFields, receiptId))
  const { description, hold } = asked
  const detail = asked.detail === null ? null : JSON.stringify(asked.detail)
  const fresh = { ...unpaid, bucket: asker.bucket, merchantId: asker.merchantId, receiptId, createdAt: now }
  const row: ReceiptRow = { ...fresh, amountTiyin, hold, description, detail, account }
  const receipt = await tools.mac.seal({ ...row, dueAt: unpaidEndsAt(tools.figures, row) })
  const audit = noteReceipt(asker, receipt, { at: now, action: 'receipt.created', outcome: hold ? 'hold' : 'debit' })
  const kept = await tools.store.insertReceipt(receipt, riders(asker, { audit, events: [], claims: receiptId, answers: receipt }))
  if (kept === 'twin') throw new TwinFound()
  return receipt
}

/** What is so of every receipt that nobody has tried to pay. */
const unpaid = Object.freeze({
  ...{ state: receiptStates.created, version: 1, mac: new Uint8Array(0), takenTiyin: 0, payer: null, error: null },
  ...{ cardId: '', maskedPan: '', cardExpiry: '', oneTime: false, networkRef: '', requestId: '', customer: null },
  ...{ payTime: 0, cancelTime: 0, sourceCancel: null, fiscal: null, unknownSince: 0, flagged: false, dueAt: null, looks: 0 },
})
