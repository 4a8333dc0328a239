import { RpcError } from '@tessera/contract/errors'
import { type ReceiptState, receiptStates } from '@tessera/contract/receipt'

import type { ReceiptRow } from '../../store/receipts.ts'
import { retryOnConflict } from '../concurrency.ts'
import type { RequestContext } from '../request-context.ts'
import { noSettings } from '../merchants/settings.ts'

import { type PaymentInput, payReceipt } from './authorize.ts'
import { confirmHold } from './capture.ts'
import { createReceipt, type ReceiptInput } from './create.ts'
import { type PaymentDependencies, type PaymentServices, withRowMacs } from './dependencies.ts'
import { loadReceipt, loadReceiptList, type ReceiptPeriodQuery } from './find.ts'
import type { ReceiptWorker } from './receipt-worker.ts'
import { type EarlierCall, findCallOutcome } from './reconcile.ts'
import { type CancelReceiptInput, cancelReceipt } from './refund.ts'
import type { ReceiptMerchant, ReceiptWithMerchant } from './render.ts'
import { type ReceiptSmsInput, sendReceipt } from './send.ts'
import { type ReceiptContext, withOutcomeMapper } from './transition-records.ts'
import { tryTransition } from './transitions.ts'

/** The receipts of all merchants. A function that refuses a request throws the API error. */
export interface Receipts {
  create(input: ReceiptInput, ctx: RequestContext<ReceiptWithMerchant>): Promise<ReceiptWithMerchant>
  pay(input: PaymentInput, ctx: RequestContext<ReceiptWithMerchant>): Promise<ReceiptWithMerchant>
  /** `requestedTiyin` null: the whole hold. */
  confirmHold(receiptId: string, requestedTiyin: number | null, ctx: RequestContext<ReceiptWithMerchant>): Promise<ReceiptWithMerchant>
  cancel(input: CancelReceiptInput, ctx: RequestContext<ReceiptWithMerchant>): Promise<ReceiptWithMerchant>
  /** The outcome of a `pay` or `confirm` that was not stored under its idempotency key; null while it is in progress. */
  findOutcome(call: EarlierCall, ctx: RequestContext): Promise<ReceiptWithMerchant | null>
  state(receiptId: string, ctx: RequestContext): Promise<ReceiptState>
  find(receiptId: string, ctx: RequestContext): Promise<ReceiptWithMerchant>
  list(query: ReceiptPeriodQuery, ctx: RequestContext): Promise<ReceiptWithMerchant[]>
  send(input: ReceiptSmsInput, ctx: RequestContext<'success'>): Promise<void>
  setFiscal(receiptId: string, fiscalData: object, ctx: RequestContext<'success'>): Promise<void>
}

/** `worker` starts the refund of a cancelled receipt at once; without it the refund waits for the next round of the worker. */
export function createReceipts(dependencies: PaymentDependencies, worker: Pick<ReceiptWorker, 'kick'> | null): Receipts {
  const services: PaymentServices = withRowMacs(dependencies)
  const view = (receipt: ReceiptRow): Promise<ReceiptWithMerchant> => withMerchant(services, receipt)
  const toReceiptContext = (ctx: RequestContext<ReceiptWithMerchant>): Promise<ReceiptContext> => mapOutcomeToReceipt(services, ctx)
  return Object.freeze({
    create: async (input: ReceiptInput, ctx: RequestContext<ReceiptWithMerchant>) =>
      view(await createReceipt(services, input, await toReceiptContext(ctx))),
    pay: async (input: PaymentInput, ctx: RequestContext<ReceiptWithMerchant>) =>
      view(await payReceipt(services, input, await toReceiptContext(ctx))),
    confirmHold: async (receiptId: string, requestedTiyin: number | null, ctx: RequestContext<ReceiptWithMerchant>) =>
      view(await confirmHold(services, receiptId, requestedTiyin, await toReceiptContext(ctx))),
    async findOutcome(input: EarlierCall, ctx: RequestContext) {
      const receipt = await findCallOutcome(services, input, ctx)
      return receipt === null ? null : view(receipt)
    },
    async cancel(input: CancelReceiptInput, ctx: RequestContext<ReceiptWithMerchant>) {
      const receipt = await cancelReceipt(services, input, await toReceiptContext(ctx))
      if (receipt.state === receiptStates.returning) worker?.kick(receipt)
      return view(receipt)
    },
    state: async (receiptId: string, ctx: RequestContext) => (await loadReceipt(services, receiptId, ctx)).state,
    find: async (receiptId: string, ctx: RequestContext) => view(await loadReceipt(services, receiptId, ctx)),
    async list(input: ReceiptPeriodQuery, ctx: RequestContext) {
      const receipts = await loadReceiptList(services, input, ctx)
      if (receipts.length === 0) return []
      const merchant = await findReceiptMerchant(services, ctx.merchantId)
      return receipts.map((receipt) => ({ receipt, merchant }))
    },
    send: (input: ReceiptSmsInput, ctx: RequestContext<'success'>) => sendReceipt(services, input, withOutcomeMapper(ctx, asSuccess)),
    setFiscal: (receiptId: string, fiscalData: object, ctx: RequestContext<'success'>) =>
      setFiscalData(services, receiptId, fiscalData, withOutcomeMapper(ctx, asSuccess)),
  })
}

/** The outcome stored under an idempotency key is the rendered receipt, which contains data of the merchant. */
async function mapOutcomeToReceipt(services: PaymentServices, ctx: RequestContext<ReceiptWithMerchant>): Promise<ReceiptContext> {
  if (ctx.idempotency === null) return { ...ctx, idempotency: null }
  const merchant = await findReceiptMerchant(services, ctx.merchantId)
  return withOutcomeMapper(ctx, (receipt) => {
    if (receipt === 'success') throw new Error('the outcome is a receipt')
    return { receipt, merchant }
  })
}

function asSuccess(): 'success' {
  return 'success'
}

async function withMerchant(services: PaymentServices, receipt: ReceiptRow): Promise<ReceiptWithMerchant> {
  return { receipt, merchant: await findReceiptMerchant(services, receipt.merchantId) }
}

/** The merchant may have been deleted since. */
async function findReceiptMerchant({ merchants }: PaymentServices, id: string): Promise<ReceiptMerchant> {
  const found = await merchants.find(id)
  if (found === null) return { id, name: '', organization: '', address: '', createdAt: 0, businessId: '', epos: noSettings.epos }
  const { name, organization, address, createdAt } = found.row
  const { businessId, epos } = found.settings
  return { id, name, organization: organization === '' ? name : organization, address, createdAt, businessId, epos }
}

/** Stores the data of the merchant's fiscal module as given. A second call replaces it. */
async function setFiscalData(services: PaymentServices, receiptId: string, fiscalData: object, ctx: ReceiptContext): Promise<void> {
  await retryOnConflict(async () => {
    const receipt = await loadReceipt(services, receiptId, ctx)
    if (receipt.state !== receiptStates.paid) throw new RpcError('receiptNotPaid')
    return tryTransition(services, {
      cause: 'fiscal_data_set',
      from: receipt,
      to: { fiscal: JSON.stringify(fiscalData) },
      outcome: 'stored',
      ctx,
      isStart: true,
      reply: 'success',
    })
  })
}
