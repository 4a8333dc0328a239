import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { RpcError } from '@tessera/contract/errors'
import type { OperationName } from '@tessera/contract/operations'
import { bucketOf } from '@tessera/vault/id'

import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'
import { makeRequestRecorder, recorderSettings } from '../ops/request-log/request-recorder.ts'
import { Members } from '../server/reader/members.ts'

import { defaultConfig } from '../testing/default-config.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'
import { successPan } from '../testing/receipts.fixture.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)
const recorder = makeRequestRecorder({
  ...app,
  settings: recorderSettings(defaultConfig),
  failed: (err) => assert.fail(String(err)),
  lost: () => undefined,
})
let count = 0

/** Records a call as the pipeline would; returns its id. */
async function note(merchantId: string, method: OperationName | null, params: object, outcome: { result?: unknown; error?: RpcError }) {
  const requestId = `feedfeed${String(++count).padStart(8, '0')}feedfeed`
  const { result = null, error = null } = outcome
  const caller = method === null ? null : ({ merchantId, bucket: bucketOf(merchantId), kind: 'server' } as const)
  const from = { profile: 'spec', caller, xAuth: merchantId, address: '203.0.113.9', ms: 12.3, bytes: 99 } as const
  recorder.recordCall({ ...from, requestId, method, params: Object.assign(new Members(), params), result, error })
  await recorder.runOnce(new AbortController().signal)
  app.clock.advance(1000)
  return requestId
}

test('each call is listed with its outcome, unreadable ones included, and found by method, outcome, card and time', async () => {
  const person = await entrance.user('read')
  const shop = app.merchant('spec', person.merchantId)
  const token = await shop.createToken(successPan)
  const began = app.clock.now()
  const ok = await note(person.merchantId, 'cards.check', { token }, { result: await shop.call('cards.check', { token }) })
  const wrong = await note(person.merchantId, 'cards.verify', { token, code: '000000' }, { error: new RpcError('wrongCode') })
  const unread = await note(person.merchantId, null, {}, { error: new RpcError('invalidJson') })
  const idsOf = async (filter: object) => (await person.call('dashboard.requests.list', filter)).requests.map(({ requestId }) => requestId)
  assert.deepEqual(await idsOf({}), [unread, wrong, ok])
  assert.deepEqual(await idsOf({ method: 'cards.verify' }), [wrong])
  assert.deepEqual(await idsOf({ outcome: 'ok' }), [ok])
  assert.deepEqual(await idsOf({ code: -31103 }), [wrong])
  assert.deepEqual(await idsOf({ cardId: token.slice(0, 24) }), [wrong, ok])
  assert.deepEqual(await idsOf({ requestId: ok }), [ok])
  assert.deepEqual(await idsOf({ to: began + 500 }), [ok])
  assert.ok(!(await idsOf({ from: began + 500 })).includes(ok))
  const first = await person.call('dashboard.requests.list', { count: 1 })
  const rest = await person.call('dashboard.requests.list', { count: 1, after: first.next })
  assert.deepEqual([first.requests[0]?.requestId, rest.requests[0]?.requestId], [unread, wrong])

  const { entry, params, hint, replayable } = await person.call('dashboard.requests.get', { requestId: wrong })
  assert.deepEqual([entry.code, entry.reason, entry.ms, entry.caller], [-31103, 'wrong_code', 12.3, 'server'])
  assert.deepEqual(
    params.list.map(({ path, value, hidden }) => [path, value ?? hidden]),
    [
      ['token', token.slice(0, 24)],
      ['code', 'secret'],
    ],
  )
  assert.ok(hint.length > 0 && replayable)
  assert.ok(!JSON.stringify(await person.call('dashboard.requests.get', { requestId: ok })).includes(token.slice(25)))
  assert.equal(await person.expectError('dashboard.requests.get', { requestId: 'a'.repeat(24) }), 'request_not_found')
})

test('a replay creates its own cards, tokens and receipts, changes no existing ones, and shows the new reply', async () => {
  const developer = await entrance.user('developer')
  const shop = app.merchant('spec', developer.merchantId)
  const token = await shop.createVerifiedToken(successPan, { save: true })
  const { receipt } = await shop.call('receipts.create', { amount: 123_400, account: { order_id: '7' } })
  const paid = await shop.call('receipts.pay', { id: receipt._id, token })
  const replay = async (method: OperationName, params: object, outcome: Parameters<typeof note>[3]) => {
    const requestId = await note(developer.merchantId, method, params, outcome)
    return developer.call('dashboard.requests.replay', { requestId })
  }
  const money = await replay('receipts.pay', { id: receipt._id, token }, { result: paid })
  const shown = Object.fromEntries(money.reply?.result.list.map(({ path, value }) => [path, value]) ?? [])
  assert.deepEqual([money.reply?.code, shown['receipt.state'], shown['receipt.amount']], [0, 4, 123_400])
  assert.notEqual(shown['receipt._id'], receipt._id)
  assert.deepEqual(
    money.steps.map(({ method, code }) => [method, code]),
    [
      ['receipts.create', 0],
      ['cards.create', 0],
      ['cards.get_verify_code', 0],
      ['cards.verify', 0],
    ],
  )
  const removed = await replay('cards.remove', { token }, { result: { success: true } })
  assert.equal(removed.reply?.code, 0)
  // The token of before lives.
  assert.equal((await shop.call('cards.check', { token })).card.verify, true)
  const created = await replay('cards.create', { card: { number: '', expire: '0399' }, save: true }, { error: new RpcError('expirePast') })
  assert.deepEqual([created.reply?.code, created.reply?.method], [0, 'cards.create'])
  assert.ok(!/[0-9A-Za-z]{40}|8600495473316478/.test(JSON.stringify([money, removed, created])), 'a token or a number was shown')
  const made = await replay(
    'receipts.create',
    { amount: 5, account: { order_id: '8' }, hold: true },
    { error: new RpcError('amountInvalid') },
  )
  assert.equal(made.reply?.method, 'receipts.create')
  for (const [method, params] of [
    ['cards.verify', { token, code: '1' }],
    ['cards.get_verify_code', { token }],
    ['cards.check', { token }],
    ['receipts.get', { id: receipt._id }],
    ['receipts.check', { id: receipt._id }],
    ['receipts.get_all', { count: 3, from: app.clock.now() - 1000, to: app.clock.now() }],
  ] as const) {
    assert.equal((await replay(method, params, {})).reply?.code, 0, method)
  }

  const cancel = await note(developer.merchantId, 'receipts.cancel', { id: receipt._id }, {})
  assert.equal(await developer.expectError('dashboard.requests.replay', { requestId: cancel }), 'request_not_replayable')
  assert.equal((await shop.call('receipts.check', { id: receipt._id })).state, 4)
})

test('a replay has the account fields that the merchant requires, those that are not stored and those that were added since', async () => {
  const owner = await entrance.user('owner')
  const shop = app.merchant('spec', owner.merchantId)
  const token = await shop.createVerifiedToken(successPan, { save: true })
  const { receipt } = await shop.call('receipts.create', { amount: 123_400, account: { order_id: '7', note: 'x' } })
  const paid = await shop.call('receipts.pay', { id: receipt._id, token })
  const title = { en: 'Field', ru: 'Поле', uz: 'Maydon' }
  await owner.call('dashboard.settings.change', {
    accountFields: ['order_id', 'guest'].map((name) => ({ name, title, required: true })),
  })
  const replay = async (method: OperationName, params: object, outcome: Parameters<typeof note>[3]) => {
    const requestId = await note(owner.merchantId, method, params, outcome)
    const { steps, reply } = await owner.call('dashboard.requests.replay', { requestId })
    assert.deepEqual([steps.filter(({ code }) => code !== 0), reply?.code], [[], 0], method)
    const id = reply?.result.list.find(({ path }) => path === 'receipt._id')?.value
    const { account } = (await shop.call('receipts.get', { id: String(id) })).receipt
    return Object.fromEntries(account.map(({ name, value }) => [name, value]))
  }
  assert.deepEqual(await replay('receipts.pay', { id: receipt._id, token }, { result: paid }), { order_id: '7', guest: 'test-1' })
  const params = { amount: 500_000, account: { order_id: '8', guest: 'Two words' } }
  assert.deepEqual(await replay('receipts.create', params, {}), { order_id: '8', guest: 'test-1' })
})
