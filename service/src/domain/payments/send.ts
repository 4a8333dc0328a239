import type { Language } from '@tessera/contract/envelope'
import { RpcError } from '@tessera/contract/errors'
import { formatSum, receiptStates } from '@tessera/contract/receipt'
import { issueId } from '@tessera/vault/id'

import type { ReceiptRow } from '../../store/receipts.ts'
import { claimSend } from '../../store/send-limits.ts'
import { retryOnConflict } from '../concurrency.ts'
import { fitSmsText } from '../sms/fit-text.ts'
import { dailyCapsOf, sendClaim } from '../verification/daily-caps.ts'

import type { PaymentServices } from './dependencies.ts'
import { loadReceipt } from './find.ts'
import { effectiveAmount, parseAccount } from './render.ts'
import type { ReceiptContext } from './transition-records.ts'
import { tryTransition } from './transitions.ts'

export interface ReceiptSmsInput {
  readonly receiptId: string
  /** 9 to 15 digits, country code first. */
  readonly phone: string
  readonly language: Language
}

/** Sends the payer an SMS about a receipt. The audit entry is stored before the message is sent, and no message is sent twice. */
export async function sendReceipt(
  services: PaymentServices,
  { receiptId, phone, language }: ReceiptSmsInput,
  ctx: ReceiptContext,
): Promise<void> {
  assertPhone(phone)
  const receipt = await loadReceipt(services, receiptId, ctx)
  assertSendable(receipt)
  // Before the message counts in any limit.
  const refusalMs = services.sms.refusalMs(receipt.merchantId)
  if (refusalMs > 0) throw new RpcError('smsNotSent', { retryAfterMs: refusalMs })
  await claimPhoneLimit(services, phone, ctx)
  services.smsGuard.checkAndCount({
    merchantId: receipt.merchantId,
    phone,
    text: await smsTextOf(services, receipt, language),
    isCode: false,
  })
  const current = await recordSend(services, receipt, ctx)
  const text = await smsTextOf(services, current, language)
  const messageId = issueId(current.bucket, services.clock.now())
  const { sms, settings } = services
  const message = {
    messageId,
    merchantId: current.merchantId,
    phone,
    text,
    lifetimeSeconds,
    purpose: 'receipt',
    subject: receiptId,
  } as const
  const outcome = await sms.send(message, { timeoutMs: settings.smsTimeoutMs, signal: ctx.signal })
  if (outcome.kind === 'not_called') throw new RpcError('smsNotSent', { retryAfterMs: outcome.retryAfterMs })
  if (outcome.kind === 'rejected') throw new RpcError('smsNotSent')
}

/** Throws unless it is a phone number: 9 to 15 digits, country code first. */
export function assertPhone(phone: string): void {
  if (!/^[0-9]{9,15}$/.test(phone)) throw new RpcError('phoneInvalid', { data: 'phone' })
}

function assertSendable({ state }: ReceiptRow): void {
  if (state === receiptStates.returning || state === receiptStates.cancelled) throw new RpcError('receiptCancelled')
}

async function claimPhoneLimit(services: PaymentServices, phone: string, { merchantId, requestId }: ReceiptContext): Promise<void> {
  const { store, keyring, clock, settings, recentSends } = services
  const caps = dailyCapsOf(services, merchantId)
  if (caps === null) return
  const claim = await sendClaim(keyring, Buffer.from(phone, 'latin1'), { at: clock.now(), windows: settings.sendWindows, caps })
  const resetWaitMs = await recentSends.checkReset(claim, { merchantId, cardId: '', requestId })
  if (resetWaitMs > 0) throw new RpcError('phoneLimit', { retryAfterMs: resetWaitMs })
  const claimed = await store.write(claimSend, claim)
  if (!claimed.claimed) throw new RpcError('phoneLimit', { retryAfterMs: claimed.retryAfterMs })
  recentSends.record(claim)
}

function recordSend(services: PaymentServices, first: ReceiptRow, ctx: ReceiptContext): Promise<ReceiptRow> {
  let receipt = first
  return retryOnConflict(async () => {
    const recorded = await tryTransition(services, {
      cause: 'sms_sent',
      from: receipt,
      to: {},
      outcome: 'requested',
      ctx,
      isStart: true,
    })
    if (recorded !== null) return recorded
    receipt = await loadReceipt(services, receipt.receiptId, ctx)
    assertSendable(receipt)
    return null
  })
}

async function smsTextOf({ merchants, settings }: PaymentServices, receipt: ReceiptRow, language: Language): Promise<string> {
  const shop = (await merchants.find(receipt.merchantId))?.row.name ?? ''
  const number = parseAccount(receipt).find(({ main }) => main)?.value ?? receipt.receiptId
  const isPaid = receipt.state === receiptStates.paid || receipt.state === receiptStates.held
  return formatReceiptSms(language, { shop, number, amountTiyin: effectiveAmount(receipt), isPaid, providerName: settings.providerName })
}

/** As long as the receipt can be paid. */
const lifetimeSeconds = 12 * 3600

export interface ReceiptSmsText {
  readonly shop: string
  readonly amountTiyin: number
  /** The value of the main account field, which identifies the receipt to the payer. */
  readonly number: string
  readonly isPaid: boolean
  readonly providerName: string
}

/** The text of the message: one segment in English and Uzbek, two at most in Russian. Names are cut where there is no room for them. */
export function formatReceiptSms(language: Language, { providerName, shop, number, ...text }: ReceiptSmsText): string {
  const names = [cut(providerName), cut(shop), cut(number)]
  return fitSmsText(language, names, [
    ([provider = '', name = '', id = '']) => templates[language]({ ...text, providerName: provider, shop: name, number: id }),
  ])
}

/** The Uzbek text avoids U+02BB: one character outside GSM 03.38 halves the length of an SMS segment. */
const templates = {
  en: ({ providerName, shop, amountTiyin, number, isPaid }) =>
    `${providerName}: ${shop}, receipt ${number}, ${formatSum(amountTiyin)} UZS, ${isPaid ? 'paid' : 'to be paid'}.`,
  ru: ({ providerName, shop, amountTiyin, number, isPaid }) =>
    `${providerName}: ${shop}, чек ${number}, ${formatSum(amountTiyin)} сум, ${isPaid ? 'оплачен' : 'к оплате'}.`,
  uz: ({ providerName, shop, amountTiyin, number, isPaid }) =>
    `${providerName}: ${shop}, chek ${number}, ${formatSum(amountTiyin)} so'm, ${isPaid ? "to'landi" : "to'lash kerak"}.`,
} as const satisfies Record<Language, (text: ReceiptSmsText) => string>

/** One line of bounded length, whatever the merchant's name is. */
function cut(text: string): string {
  return Array.from(text.replaceAll(/\p{Cc}+/gu, ' '))
    .slice(0, maxTextLength)
    .join('')
}

const maxTextLength = 40
