import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { operations } from '@tessera/contract/operations'
import { SettingProblem } from '@tessera/contract/setting-problems'
import { makeRowAuthenticator } from '@tessera/vault/rowmac'

import type { MerchantPatch } from '../domain/merchants/merchant-patch.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'
import type { TestMerchant } from '../testing/test-merchant.fixture.ts'
import { rowOf } from '../testing/receipts.fixture.ts'
import { insertMerchant, merchantsTable } from '../store/merchants.ts'
import { operatorActor } from '../testing/request-context.fixture.ts'

const app = await createTestApp({ after })
const mac = makeRowAuthenticator(app.keyring, app.environment, merchantsTable)

test('a new receipt is returned complete, in the order of the wire, the same in both profiles', async () => {
  for (const profile of ['spec', 'subscribe'] as const) {
    const merchant = app.merchant(profile)
    await app.store.write(insertMerchant, { merchant: await merchantRow(merchant), audit: noteOf(merchant.merchantId) })
    const { receipt } = await merchant.call('receipts.create', { amount: 500_000, account: { order_id: 197, shop: 'a', none: null } })
    const expected = {
      _id: receipt._id,
      create_time: app.clock.now(),
      pay_time: 0,
      cancel_time: 0,
      state: 0,
      type: 2,
      external: false,
      operation: -1,
      category: null,
      error: null,
      description: '',
      detail: null,
      amount: 500_000,
      currency: 860,
      commission: 0,
      account: [
        { name: 'order_id', title: 'order_id', value: '197', main: true },
        { name: 'shop', title: 'shop', value: 'a', main: false },
        { name: 'none', title: 'none', value: '', main: false },
      ],
      card: null,
      merchant: {
        _id: merchant.merchantId,
        name: 'Shop',
        organization: 'Shop',
        address: '',
        business_id: '',
        epos: { merchantId: '', terminalId: '' },
        date: 1,
        logo: null,
        type: 'Internet',
        terms: null,
      },
      meta: { source: 'subscribe', owner: merchant.merchantId },
      payer: null,
      processing_id: null,
    }
    assert.equal(JSON.stringify(receipt), JSON.stringify(expected))
    assert.match(receipt._id, /^[0-9a-f]{24}$/)
  }
})

test('the members are in the order of the contract’s example', async () => {
  const { receipt } = await app.merchant().call('receipts.create', { amount: 1 })
  const example = operations['receipts.create'].example.result.receipt
  assert.deepEqual(Object.keys(receipt), Object.keys(example))
})

test('without an account the receipt has a number of its own', async () => {
  const merchant = app.merchant()
  for (const account of [undefined, null, {}]) {
    const { receipt } = await merchant.call('receipts.create', { amount: 1, ...(account === undefined ? {} : { account }) })
    const [entry, ...others] = receipt.account
    assert.deepEqual([entry?.name, entry?.title, entry?.main, others], ['transaction', 'Номер чека', true, []])
    assert.match(entry?.value ?? '', /^[0-9]{1,12}$/)
  }
})

test('all given values are returned unchanged', async () => {
  const merchant = app.merchant()
  const detail = { items: [{ title: 'ʻ 😀', price: 505_000, count: 2 }], receipt_type: 0 }
  const { receipt } = await merchant.call('receipts.create', { amount: 100_000.0, description: 'ʻ 😀', detail })
  assert.deepEqual([receipt.amount, receipt.description, receipt.detail], [100_000, 'ʻ 😀', detail])
  const plain = await merchant.call('receipts.create', { amount: 1, description: null, detail: null, hold: null })
  assert.deepEqual([plain.receipt.description, plain.receipt.detail], ['', null])
})

test('a fraction of a tiyin, zero, negative and too large amounts are invalid', async () => {
  const merchant = app.merchant()
  for (const sum of [0, -1, 0.5, 1.01, 1e16, Number.MAX_SAFE_INTEGER, 10_000_000_000_001, NaN, Infinity]) {
    const reply = await merchant.callRaw('receipts.create', { amount: sum })
    assert.ok('error' in reply, String(sum))
    assert.deepEqual([reply.error.code, reply.error.reason, reply.error.data], [-32602, 'amount_invalid', 'amount'])
  }
  assert.equal((await merchant.call('receipts.create', { amount: 10_000_000_000_000 })).receipt.amount, 10_000_000_000_000)
})

test('an unpaid receipt is cancelled after twelve hours, without the source of this API', async () => {
  const merchant = app.merchant()
  const { receipt } = await merchant.call('receipts.create', { amount: 1 })
  app.clock.advance(12 * 3_600_000 - 1)
  await app.receiptWorker.runOnce()
  assert.equal((await rowOf(app, merchant, receipt._id)).state, 0)
  app.clock.advance(1)
  await app.receiptWorker.runOnce()
  const cancelled = (await merchant.call('receipts.get', { id: receipt._id })).receipt
  assert.deepEqual(
    [cancelled.state, cancelled.cancel_time, cancelled.meta],
    [50, app.clock.now(), { source: 'subscribe', owner: merchant.merchantId }],
  )
})

const fieldTitles = { en: 'Order', ru: 'Заказ', uz: 'Buyurtma' }

async function agreed(wish: MerchantPatch): Promise<TestMerchant> {
  const made = await app.merchants.administration.create(wish, operatorActor)
  return made instanceof SettingProblem ? assert.fail(made.code) : app.merchant('spec', made.merchant.row.id)
}

test('an account has the fields configured for the merchant, each with its title', async () => {
  const accountFields = [
    { name: 'order_id', title: fieldTitles, required: true },
    { name: 'note', title: { en: 'Note', ru: 'Заметка', uz: 'Izoh' }, required: false },
  ]
  const merchant = await agreed({ name: 'Shop', settings: { accountFields } })
  const { receipt } = await merchant.call('receipts.create', { amount: 1, account: { note: 'n', order_id: 7 } })
  assert.deepEqual(receipt.account, [
    { name: 'order_id', title: 'Order', value: '7', main: true },
    { name: 'note', title: 'Note', value: 'n', main: false },
  ])
  const refusals: [account: Record<string, string | null>, field: string][] = [
    [{}, 'order_id'],
    [{ order_id: null }, 'order_id'],
    [{ order_id: '' }, 'order_id'],
    [{ order_id: '7', colour: 'red' }, 'colour'],
  ]
  for (const [account, field] of refusals) {
    const reply = await merchant.callRaw('receipts.create', { amount: 1, account })
    assert.ok('error' in reply, field)
    assert.deepEqual([reply.error.code, reply.error.data], [-31610, field])
  }
})

test('an amount outside the merchant’s limits is refused with its own code, exact to the tiyin', async () => {
  const merchant = await agreed({ name: 'Shop', settings: { minAmount: 100, maxAmount: 1000 } })
  for (const [sum, code] of [
    [99, -31611],
    [1001, -31612],
  ] as const) {
    const reply = await merchant.callRaw('receipts.create', { amount: sum })
    assert.ok('error' in reply)
    assert.deepEqual([reply.error.code, reply.error.data], [code, 'amount'])
  }
  for (const sum of [100, 1000]) assert.equal((await merchant.call('receipts.create', { amount: sum })).receipt.amount, sum)
})

test('receipts contain the data of their merchant', async () => {
  const settings = { businessId: 'b-1', epos: { merchantId: '12', terminalId: '34' } }
  const merchant = await agreed({ name: 'Shop', organization: 'Shop LLC', address: 'Toshkent', settings })
  const { receipt } = await merchant.call('receipts.create', { amount: 1 })
  const { name, organization, address, business_id: businessId, epos } = receipt.merchant
  assert.deepEqual([name, organization, address, businessId, epos], ['Shop', 'Shop LLC', 'Toshkent', 'b-1', settings.epos])
})

function merchantRow({ merchantId: id, bucket }: { merchantId: string; bucket: number }) {
  const known = { id, bucket, version: 1, name: 'Shop', organization: '', address: '', state: 'active' as const, createdAt: 1 }
  return mac.seal({ ...known, settings: '{}', credentials: [], mac: new Uint8Array(0) })
}

function noteOf(merchantId: string) {
  const who = { at: 1, actor: 'test', action: 'test', merchantId, subject: merchantId, requestId: '', outcome: 'test' }
  return { ...who, version: 0, mac: new Uint8Array(0) }
}
