import type { Language } from '@tessera/contract/envelope'
import { RpcError } from '@tessera/contract/errors'
import { receiptStates } from '@tessera/contract/receipt'
import { issueId } from '@tessera/vault/id'

import { askWithin } from '../cards/refusal.ts'
import type { SmsMessage, SmsOutcome } from '../sms/sms.ts'
import type { ReceiptRow } from '../store/store.ts'
import { capsOf, sendClaim } from '../verification/limits.ts'

import { changeReceipt } from './change.ts'
import { findReceipt } from './find.ts'
import { amountOf, readAccountRow } from './render.ts'
import { receiptText } from './text.ts'
import type { ReceiptAsker } from './riders.ts'
import type { ReceiptTools } from './tools.ts'

export interface AskedSend {
  readonly receiptId: string
  /** 9 to 15 digits, country code first. */
  readonly phone: string
  readonly language: Language
}

/** Tells a payer about a receipt by SMS. That it is sent is durable before it goes out, and nothing is sent twice by itself. */
export async function sendReceipt(tools: ReceiptTools, { receiptId, phone, language }: AskedSend, asker: ReceiptAsker): Promise<void> {
  expectPhone(phone)
  const receipt = await findReceipt(tools, receiptId, asker)
  expectSendable(receipt)
  await claimPhone(tools, phone, receipt.merchantId)
  tools.smsGuard.admit({ merchantId: receipt.merchantId, phone, text: await textOf(tools, receipt, language), isCode: false })
  const kept = await intend(tools, receipt, asker)
  const text = await textOf(tools, kept, language)
  const messageId = issueId(kept.bucket, tools.clock.now())
  const outcome = await send(tools, { messageId, merchantId: kept.merchantId, phone, text, lifeSeconds }, asker)
  if (outcome === 'rejected') throw new RpcError('smsNotSent')
}

/** Throws when it is no phone: 9 to 15 digits, country code first. */
export function expectPhone(phone: string): void {
  if (!/^[0-9]{9,15}$/.test(phone)) throw new RpcError('phoneInvalid', { data: 'phone' })
}

function expectSendable({ state }: ReceiptRow): void {
  if (state === receiptStates.returning || state === receiptStates.cancelled) throw new RpcError('receiptCancelled')
}

async function claimPhone(tools: ReceiptTools, phone: string, merchantId: string): Promise<void> {
  const { store, keyring, clock, figures } = tools
  const caps = capsOf(tools, merchantId)
  if (caps === null) return
  const claimed = await store.claimPhoneSend(
    await sendClaim(keyring, Buffer.from(phone, 'latin1'), { at: clock.now(), windows: figures.sendWindows, caps }),
  )
  if (!claimed.claimed) throw new RpcError('phoneLimit', { retryAfterMs: claimed.retryAfterMs })
}

async function intend(tools: ReceiptTools, first: ReceiptRow, asker: ReceiptAsker): Promise<ReceiptRow> {
  let receipt = first
  for (let turn = 0; turn < turnsMax; turn++) {
    const told = { action: 'receipt.sent', outcome: 'asked', isIntention: true } as const
    const kept = await changeReceipt(tools, { from: receipt, to: {}, asker, ...told })
    if (typeof kept !== 'string') return kept
    receipt = await findReceipt(tools, receipt.receiptId, asker)
    expectSendable(receipt)
  }
  throw new RpcError('overloaded', { retryAfterMs: 1000 })
}

async function textOf({ merchants, figures }: ReceiptTools, receipt: ReceiptRow, language: Language): Promise<string> {
  const shop = (await merchants.find(receipt.merchantId))?.row.name ?? ''
  const number = readAccountRow(receipt).find(({ main }) => main)?.value ?? receipt.receiptId
  const isPaid = receipt.state === receiptStates.paid || receipt.state === receiptStates.held
  return receiptText(language, { shop, number, amountTiyin: amountOf(receipt), isPaid, providerName: figures.providerName })
}

/** A gateway that fails without a word may have sent it: that counts as sent. */
async function send({ sms, clock, figures }: ReceiptTools, message: SmsMessage, asker: ReceiptAsker): Promise<SmsOutcome> {
  try {
    const patience = { clock, timeoutMs: figures.smsTimeoutMs, signal: asker.signal }
    return await askWithin<SmsOutcome>(patience, 'unknown', (signal) => sms.send(message, signal))
  } catch {
    return 'unknown'
  }
}

/** A receipt is worth reading for as long as it can be paid. */
const lifeSeconds = 12 * 3600
const turnsMax = 5
