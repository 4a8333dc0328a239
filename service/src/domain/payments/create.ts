import { maxAmountTiyin, readAmount } from '@tessera/contract/receipt'
import type { Language } from '@tessera/contract/envelope'
import { RpcError } from '@tessera/contract/errors'
import { receiptStates } from '@tessera/contract/receipt'
import { issueId } from '@tessera/vault/id'

import { insertReceipt, type ReceiptRow } from '../../store/receipts.ts'
import type { Merchant } from '../merchants/merchant-cache.ts'

import type { PaymentServices } from './dependencies.ts'
import { emptyOperationsDigest } from '../../store/operations-digest.ts'
import type { AccountEntry } from './render.ts'
import { unpaidEndsAt } from './receipt-patches.ts'
import { buildExtras, confirmExtras, type ReceiptContext, receiptAuditEntry, IdempotencyConflict } from './transition-records.ts'

/** The input of receipts.create. */
export interface ReceiptInput {
  /** As sent by the caller, not validated. */
  readonly amountTiyin: number
  readonly account: AccountInput
  readonly description: string
  readonly detail: object | null
  readonly hold: boolean
  /** For the titles of the account fields. */
  readonly language: Language
}

/** Stores a new receipt in state created (0). It can be paid for 12 hours. */
export async function createReceipt(services: PaymentServices, input: ReceiptInput, ctx: ReceiptContext): Promise<ReceiptRow> {
  const amountTiyin = readAmount(input.amountTiyin)
  if (amountTiyin === null) throw new RpcError('amountInvalid', { data: 'amount' })
  const terms = receiptTerms(await services.merchants.find(ctx.merchantId), input.language)
  if (amountTiyin < terms.minAmountTiyin) throw new RpcError('amountBelowLimit', { data: 'amount' })
  if (amountTiyin > terms.maxAmountTiyin) throw new RpcError('amountAboveLimit', { data: 'amount' })
  const now = services.clock.now()
  const receiptId = issueId(ctx.bucket, now)
  const account = JSON.stringify(buildAccount(input.account, terms.accountFields, receiptId))
  const { description, hold } = input
  const detail = input.detail === null ? null : JSON.stringify(input.detail)
  const fresh = { ...newReceiptDefaults, bucket: ctx.bucket, merchantId: ctx.merchantId, receiptId, createdAt: now }
  const row: ReceiptRow = { ...fresh, amountTiyin, hold, description, detail, account }
  const receipt = await services.rows.seal({ ...row, dueAt: unpaidEndsAt(services.settings, row) })
  const audit = receiptAuditEntry(ctx, receipt, { at: now, action: 'receipt.created', outcome: hold ? 'hold' : 'debit' })
  const extras = buildExtras(ctx, { audit, events: [], claimSubject: receiptId, reply: receipt })
  const inserted = await services.store.write(insertReceipt, { receipt, ...extras })
  if (inserted === 'duplicate_request') throw new IdempotencyConflict()
  confirmExtras(ctx, extras)
  services.recentReceipts?.add(receipt, [])
  services.onTransition?.({ cause: 'created', from: null, receipt, hasBecomeFlagged: false, requestId: ctx.requestId })
  return receipt
}

/** Throws `amountInvalid` unless the amount is a positive integer of tiyin or absent. */
export function assertAmount({ amount }: { readonly amount?: number | null }): void {
  if (typeof amount === 'number' && readAmount(amount) === null) throw new RpcError('amountInvalid', { data: 'amount' })
}

/** The columns of every new receipt. */
const newReceiptDefaults = Object.freeze({
  state: receiptStates.created,
  version: 1,
  mac: new Uint8Array(0),
  takenTiyin: 0,
  payer: null,
  error: null,
  cardId: '',
  maskedPan: '',
  cardExpiry: '',
  oneTime: false,
  networkRef: '',
  requestId: '',
  customer: null,
  payTime: 0,
  cancelTime: 0,
  sourceCancel: null,
  fiscal: null,
  unknownSince: 0,
  flagged: false,
  dueAt: null,
  reconcileAttempts: 0,
  operationsDigest: emptyOperationsDigest,
})

/** An account field that the merchant has configured, with its title in the language of the receipt. */
export interface AccountField {
  readonly name: string
  readonly title: string
  readonly isRequired: boolean
}

export type AccountInput = Readonly<Record<string, string | number | null>>

/**
 * The account of a receipt: values are strings, and the first field is the main one. A merchant without configured fields may send any. Without any value
 * the account is the number of the receipt. Throws `accountFieldMissing` and `accountFieldUnknown`.
 */
export function buildAccount(given: AccountInput, fields: readonly AccountField[], receiptId: string): AccountEntry[] {
  const entries = fields.length === 0 ? readAllFields(given) : readConfiguredFields(given, fields)
  if (entries.length === 0) return [{ name: 'transaction', title: 'Номер чека', value: receiptNumber(receiptId), main: true }]
  return entries.map((entry, at) => ({ ...entry, main: at === 0 }))
}

type AccountValue = Omit<AccountEntry, 'main'>

function readAllFields(given: AccountInput): AccountValue[] {
  return Object.entries(given).map(([name, value]) => ({ name, title: name, value: textOf(value) }))
}

function readConfiguredFields(given: AccountInput, fields: readonly AccountField[]): AccountValue[] {
  const unknownName = Object.keys(given).find((name) => !fields.some((field) => field.name === name))
  if (unknownName !== undefined) throw new RpcError('accountFieldUnknown', { data: isFieldName(unknownName) ? unknownName : 'account' })
  return fields.flatMap(({ name, title, isRequired }) => {
    const value = textOf(Object.hasOwn(given, name) ? (given[name] ?? null) : null)
    if (value === '' && isRequired) throw new RpcError('accountFieldMissing', { data: name })
    return value === '' ? [] : [{ name, title, value }]
  })
}

function textOf(value: string | number | null): string {
  return value === null ? '' : String(value)
}

/** Anything else is not repeated in the error, since it may be a misplaced secret. */
function isFieldName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)
}

/** A number that people can read aloud: at most 12 digits, from the random part of the id. */
export function receiptNumber(receiptId: string): string {
  return String(Number.parseInt(receiptId.slice(-12), 16) % 1_000_000_000_000)
}

/** The merchant's settings for its receipts. */
export interface ReceiptTerms {
  /** Empty: any fields are accepted. */
  readonly accountFields: readonly AccountField[]
  readonly minAmountTiyin: number
  readonly maxAmountTiyin: number
}

/** A merchant's settings for receipts, titles in one language. */
export function receiptTerms(merchant: Merchant | null, language: Language): ReceiptTerms {
  if (merchant === null) return noTerms
  const { accountFields, minAmount, maxAmount } = merchant.settings
  return {
    accountFields: accountFields.map(({ name, title, required }) => ({ name, title: title[language], isRequired: required })),
    minAmountTiyin: minAmount,
    maxAmountTiyin: maxAmount,
  }
}

const noTerms: ReceiptTerms = Object.freeze({ accountFields: [], minAmountTiyin: 1, maxAmountTiyin })
