// Cases of database-writer: cards, receipts, operations, card locks and merchants.
import { tokenOf } from './api-client.ts'
import { panWithNetworkOtp, panWithOurOtp, testOtp } from './load.ts'
import { drawIdBeside, poll, resultOf, type WriterTarget } from './database-writer-target.ts'
import {
  type CaseTarget,
  type StoredReceipt,
  type UseResult,
  type WriterCase,
  newCard,
  newMerchant,
  newUnpaidReceipt,
  newVerifiedCard,
  idOf,
  judge,
} from './writer-rows.ts'
import { selectOne, type StoredColumns } from './second-connection.ts'

export function changeCardCase(values: StoredColumns): WriterCase['arrange'] {
  return async (target) => {
    const { token, key } = await newCard(target)
    return { id: idOf(key), write: () => target.db.update('cards', key, values), use: async () => judge(await target.api.check(token)) }
  }
}

export async function insertCardCase(target: WriterTarget): Promise<CaseTarget> {
  const { token, key } = await newCard(target)
  const row = await selectOne(target.db, 'cards', key)
  const cardId = drawIdBeside(token.slice(0, 24))
  return {
    write: () => target.db.insert('cards', { ...row, card_id: cardId }),
    use: async () => judge(await target.api.check(`${cardId}${token.slice(24)}`)),
  }
}

export async function exchangeCardsCase(target: WriterTarget): Promise<CaseTarget> {
  const [own, other] = [await newCard(target), await newCard(target, panWithOurOtp)]
  const { blob = null, masked_pan: mask = null } = await selectOne(target.db, 'cards', other.key)
  return {
    write: () => target.db.update('cards', own.key, { blob, masked_pan: mask }),
    use: async () => judge(await target.api.check(own.token)),
  }
}

export async function deleteCardCase(target: WriterTarget): Promise<CaseTarget> {
  const { token, key } = await newCard(target)
  return { write: () => target.db.remove('cards', key), use: async () => judge(await target.api.check(token)) }
}

export async function putBackCardCase(target: WriterTarget): Promise<CaseTarget> {
  const { token, key } = await newCard(target)
  const row = await selectOne(target.db, 'cards', key)
  resultOf(await target.api.remove(token))
  return { id: idOf(key), write: () => target.db.putBack('cards', key, [row]), use: async () => judge(await target.api.check(token)) }
}

async function payHold(target: WriterTarget): Promise<StoredReceipt> {
  const { token } = await newVerifiedCard(target)
  const receipt = await newUnpaidReceipt(target, { hold: true })
  resultOf(await target.api.call('receipts.pay', { id: receipt.id, token }))
  return receipt
}

async function getReceipt({ api }: WriterTarget, id: string): Promise<UseResult> {
  return judge(await api.call('receipts.get', { id }))
}

export function changeReceiptCase(values: StoredColumns): WriterCase['arrange'] {
  return async (target) => {
    const { id, key } = await newUnpaidReceipt(target)
    return { write: () => target.db.update('receipts', key, values), use: () => getReceipt(target, id) }
  }
}

export async function insertReceiptCase(target: WriterTarget): Promise<CaseTarget> {
  const { id, key } = await newUnpaidReceipt(target)
  const row = await selectOne(target.db, 'receipts', key)
  const copy = drawIdBeside(id)
  return { write: () => target.db.insert('receipts', { ...row, receipt_id: copy }), use: () => getReceipt(target, copy) }
}

export async function exchangeReceiptsCase(target: WriterTarget): Promise<CaseTarget> {
  const [own, other] = [await newUnpaidReceipt(target), await newUnpaidReceipt(target, { amount: 100 })]
  const row = await selectOne(target.db, 'receipts', other.key)
  return { write: () => target.db.putBack('receipts', own.key, [{ ...row, ...own.key }]), use: () => getReceipt(target, own.id) }
}

export async function deleteReceiptCase(target: WriterTarget): Promise<CaseTarget> {
  const { id, key } = await newUnpaidReceipt(target)
  return { write: () => target.db.remove('receipts', key), use: () => getReceipt(target, id) }
}

export async function putBackReceiptCase(target: WriterTarget): Promise<CaseTarget> {
  const { id, key } = await newUnpaidReceipt(target)
  const row = await selectOne(target.db, 'receipts', key)
  resultOf(await target.api.call('receipts.cancel', { id }))
  return { id, write: () => target.db.putBack('receipts', key, [row]), use: () => getReceipt(target, id) }
}

async function confirmHold({ api }: WriterTarget, id: string): Promise<UseResult> {
  return judge(await api.call('receipts.confirm_hold', { id }))
}

export async function changeOperationCase(target: WriterTarget): Promise<CaseTarget> {
  const [own, other] = [await payHold(target), await payHold(target)]
  const { network_ref: ref = null } = await selectOne(target.db, 'operations', other.key)
  return { write: () => target.db.update('operations', own.key, { network_ref: ref }), use: () => confirmHold(target, own.id) }
}

export async function insertOperationCase(target: WriterTarget): Promise<CaseTarget> {
  const { id, key } = await payHold(target)
  const row = await selectOne(target.db, 'operations', key)
  const requestId = drawIdBeside(String(row['request_id']))
  return { write: () => target.db.insert('operations', { ...row, request_id: requestId }), use: () => confirmHold(target, id) }
}

export async function deleteOperationCase(target: WriterTarget): Promise<CaseTarget> {
  const { id, key } = await payHold(target)
  return { write: () => target.db.remove('operations', key), use: () => confirmHold(target, id) }
}

export async function putBackHoldCase(target: WriterTarget): Promise<CaseTarget> {
  const { db, api } = target
  const { id, key } = await payHold(target)
  const [receipts, operations] = [await db.select('receipts', key), await db.select('operations', key)]
  resultOf(await api.call('receipts.cancel', { id }))
  await poll(async () => ((await db.count('receipts', { ...key, state: 50 })) === 1 ? true : null))
  return {
    id,
    async write() {
      await db.putBack('operations', key, operations)
      await db.putBack('receipts', key, receipts)
    },
    use: () => getReceipt(target, id),
  }
}

/** A card of the merchant. */
async function createAs(target: WriterTarget, { id, password }: { id: string; password: string }): Promise<UseResult> {
  return judge(await (await target.connectAs(id, password)).create(panWithNetworkOtp))
}

export async function changeMerchantCase(target: WriterTarget): Promise<CaseTarget> {
  const merchant = await newMerchant(target)
  const { settings } = await selectOne(target.db, 'merchants', merchant.key)
  const changed = JSON.stringify({ ...(JSON.parse(String(settings)) as object), origins: ['https://thief.example'] })
  return { write: () => target.db.update('merchants', merchant.key, { settings: changed }), use: () => createAs(target, merchant) }
}

/** With the id alone, as its page calls. */
export async function insertMerchantCase(target: WriterTarget): Promise<CaseTarget> {
  const row = await selectOne(target.db, 'merchants', { id: target.merchantId })
  const id = drawIdBeside(target.merchantId)
  return { write: () => target.db.insert('merchants', { ...row, id }), use: () => createAs(target, { id, password: '' }) }
}

export async function deleteMerchantCase(target: WriterTarget): Promise<CaseTarget> {
  const merchant = await newMerchant(target)
  return { write: () => target.db.remove('merchants', merchant.key), use: () => createAs(target, merchant) }
}

export async function putBackMerchantCase(target: WriterTarget): Promise<CaseTarget> {
  const merchant = await newMerchant(target)
  const row = await selectOne(target.db, 'merchants', merchant.key)
  await target.tessera(['merchants', 'block', merchant.id, '--yes'])
  return {
    id: merchant.id,
    write: () => target.db.putBack('merchants', merchant.key, [row]),
    async use() {
      // The service reads a merchant again after five seconds.
      const accepted = await poll(async () => {
        const result = await createAs(target, merchant)
        return result.isAccepted ? result : null
      }, 8000)
      return accepted ?? createAs(target, merchant)
    },
  }
}

/** A one-time card, locked by a payment that takes seconds. */
export async function changeLockCase(target: WriterTarget): Promise<CaseTarget> {
  const { api, db, tessera, connectAs, xAuth } = target
  const token = tokenOf(resultOf(await api.call('cards.create', { card: { number: panWithNetworkOtp, expire: '0399' }, save: false })))
  resultOf(await api.requestCode(token))
  resultOf(await api.verify(token, testOtp))
  const [slow, second] = [await newUnpaidReceipt(target), await newUnpaidReceipt(target)]
  await tessera(['sandbox', 'step', 'receipts.pay', 'late_3'])
  const [merchantId = '', password = ''] = xAuth.split(':')
  const payment = (await connectAs(merchantId, password)).call('receipts.pay', { id: slow.id, token })
  const key = { card_id: token.slice(0, 24) }
  await poll(async () => ((await db.count('card_locks', key)) === 1 ? true : null))
  return {
    write: () => db.update('card_locks', key, { receipt_id: second.id }),
    use: async () => judge(await api.call('receipts.pay', { id: second.id, token })),
    async undo() {
      await payment
      await tessera(['sandbox', 'step', 'receipts.pay', 'none'])
    },
  }
}
