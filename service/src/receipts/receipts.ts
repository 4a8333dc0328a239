import type { Asker } from '../cards/asker.ts'
import { makeCardMac } from '../cards/mac.ts'
import { receiptStates, type ReceiptState } from '@tessera/contract/receipt'

import { noSettings } from '../merchants/settings.ts'
import type { ReceiptRow } from '../store/store.ts'

import { cameTo, type AskedBefore } from './came-to.ts'
import { cancelReceipt } from './cancel.ts'
import { confirmHold } from './confirm.ts'
import { createReceipt, type AskedReceipt } from './create.ts'
import { findReceipt } from './find.ts'
import { setFiscal } from './fiscal.ts'
import { listReceipts, type AskedList } from './list.ts'
import { payReceipt, type AskedPayment } from './pay.ts'
import type { ToldMerchant, ToldReceipt } from './render.ts'
import { askerTold, type ReceiptAsker } from './riders.ts'
import { makeReceiptMac } from './row.ts'
import { sendReceipt, type AskedSend } from './send.ts'
import type { Settle } from './settle.ts'
import type { ReceiptParts, ReceiptTools } from './tools.ts'

/** The receipts of all merchants: made, paid, held, confirmed, cancelled, told. Each deed throws what the wire says of its refusals. */
export interface Receipts {
  create(asked: AskedReceipt, asker: Asker<ToldReceipt>): Promise<ToldReceipt>
  pay(asked: AskedPayment, asker: Asker<ToldReceipt>): Promise<ToldReceipt>
  /** `sum` in tiyin; null: all that is held. */
  confirm(receiptId: string, sum: number | null, asker: Asker<ToldReceipt>): Promise<ToldReceipt>
  cancel(receiptId: string, asker: Asker<ToldReceipt>): Promise<ToldReceipt>
  /** What a `pay` or `confirm` came to whose outcome nobody kept; null while it is under way. */
  cameTo(asked: AskedBefore, asker: Asker): Promise<ToldReceipt | null>
  state(receiptId: string, asker: Asker): Promise<ReceiptState>
  find(receiptId: string, asker: Asker): Promise<ToldReceipt>
  list(asked: AskedList, asker: Asker): Promise<ToldReceipt[]>
  send(asked: AskedSend, asker: Asker<'success'>): Promise<void>
  setFiscal(receiptId: string, given: object, asker: Asker<'success'>): Promise<void>
}

/** `settle` brings back the money of what is cancelled; without one that is left to the next round. */
export function makeReceipts(parts: ReceiptParts, settle: Pick<Settle, 'kick'> | null): Receipts {
  const { keyring, environment } = parts
  const tools: ReceiptTools = { ...parts, mac: makeReceiptMac(keyring, environment), cardMac: makeCardMac(keyring, environment) }
  const told = (receipt: ReceiptRow): Promise<ToldReceipt> => tell(tools, receipt)
  const asking = (asker: Asker<ToldReceipt>): Promise<ReceiptAsker> => askerOfRows(tools, asker)
  return Object.freeze({
    create: async (asked: AskedReceipt, asker: Asker<ToldReceipt>) => told(await createReceipt(tools, asked, await asking(asker))),
    pay: async (asked: AskedPayment, asker: Asker<ToldReceipt>) => told(await payReceipt(tools, asked, await asking(asker))),
    confirm: async (receiptId: string, sum: number | null, asker: Asker<ToldReceipt>) =>
      told(await confirmHold(tools, receiptId, sum, await asking(asker))),
    async cameTo(asked: AskedBefore, asker: Asker) {
      const receipt = await cameTo(tools, asked, asker)
      return receipt === null ? null : told(receipt)
    },
    async cancel(receiptId: string, asker: Asker<ToldReceipt>) {
      const receipt = await cancelReceipt(tools, receiptId, await asking(asker))
      if (receipt.state === receiptStates.returning) settle?.kick(receipt)
      return told(receipt)
    },
    state: async (receiptId: string, asker: Asker) => (await findReceipt(tools, receiptId, asker)).state,
    find: async (receiptId: string, asker: Asker) => told(await findReceipt(tools, receiptId, asker)),
    async list(asked: AskedList, asker: Asker) {
      const receipts = await listReceipts(tools, asked, asker)
      if (receipts.length === 0) return []
      const merchant = await merchantOf(tools, asker.merchantId)
      return receipts.map((receipt) => ({ receipt, merchant }))
    },
    send: (asked: AskedSend, asker: Asker<'success'>) => sendReceipt(tools, asked, askerTold(asker, asSuccess)),
    setFiscal: (receiptId: string, given: object, asker: Asker<'success'>) =>
      setFiscal(tools, receiptId, given, askerTold(asker, asSuccess)),
  })
}

/** What is kept under an idempotency key is the receipt as the wire tells it, and so with its merchant. */
async function askerOfRows(tools: ReceiptTools, asker: Asker<ToldReceipt>): Promise<ReceiptAsker> {
  if (asker.rider === null) return { ...asker, rider: null }
  const merchant = await merchantOf(tools, asker.merchantId)
  return askerTold(asker, (receipt) => {
    if (receipt === 'success') throw new Error('a receipt is told, not its success')
    return { receipt, merchant }
  })
}

function asSuccess(): 'success' {
  return 'success'
}

async function tell(tools: ReceiptTools, receipt: ReceiptRow): Promise<ToldReceipt> {
  return { receipt, merchant: await merchantOf(tools, receipt.merchantId) }
}

/** Whoever calls is a merchant; one that is not there any more still has its receipts. */
async function merchantOf({ merchants }: ReceiptTools, id: string): Promise<ToldMerchant> {
  const found = await merchants.find(id)
  if (found === null) return { ...{ id, name: '', organization: '', address: '', createdAt: 0 }, businessId: '', epos: noSettings.epos }
  const { name, organization, address, createdAt } = found.row
  const { businessId, epos } = found.settings
  return { id, name, organization: organization === '' ? name : organization, address, createdAt, businessId, epos }
}
