import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { RpcError } from '@tessera/contract/errors'
import { bucketOf } from '@tessera/vault/id'

import { compose } from '../methods/compose.fixture.ts'
import type { AnsweredCall } from '../rpc/answered.ts'
import { Members } from '../rpc/members.ts'
import { StoreUnavailable, type Store } from '../store/store.ts'

import { makeRequestLists } from './lists.ts'
import { makeRecorder, type RecorderFigures } from './recorder.ts'

const house = await compose()
after(() => house.close())
const never = new AbortController().signal
let count = 0

const figures: RecorderFigures = { days: 14, rowsMax: 1000, waitingMax: 20 }
const failed = (err: unknown): never => assert.fail(String(err))
const anyMerchant = { find: async () => ({}) as never }

function open(parts: Partial<RecorderFigures> = {}, store: Partial<Store> = {}, merchants = anyMerchant) {
  const merchantId = `abcdefabcdefabcd${String(++count).padStart(8, '0')}`
  const of = { merchantId, bucket: bucketOf(merchantId) }
  const recorder = makeRecorder({
    store: { ...house.store, ...store },
    merchants,
    clock: house.clock,
    figures: { ...figures, ...parts },
    failed,
  })
  const lists = makeRequestLists(house.store)
  const list = async () => (await lists.list(of, { after: null, count: 100 })).requests
  const call = (more: Partial<AnsweredCall> = {}): void => {
    const requestId = `feedfeed${String(++count).padStart(8, '0')}feedfeed`
    const caller = { ...of, as: 'server' } as const
    const none = { xAuth: null, params: new Members(), result: {}, error: null, ms: 1.5, bytes: 9 }
    recorder.note({ ...none, requestId, method: 'cards.check', profile: 'spec', caller, ...more })
  }
  return { ...of, recorder, lists, list, call }
}

test('calls are written behind the calls, a batch at a time, and found by the filters', async () => {
  const { recorder, call, list, lists, ...of } = open({ waitingMax: 500 })
  for (let n = 0; n < 250; n++) call(n === 7 ? { method: 'cards.verify', result: null, error: new RpcError('wrongCode') } : {})
  assert.deepEqual(await list(), [])
  assert.equal(recorder.waiting(), 250)
  assert.equal(await recorder.runOnce(never), 250)
  assert.equal((await list()).length, 100)
  const found = await lists.list(of, { after: null, count: 10, outcome: 'error' })
  assert.deepEqual(
    found.requests.map(({ method, code, reason, micros }) => [method, code, reason, micros]),
    [['cards.verify', -31103, 'wrong_code', 1500]],
  )
  assert.equal(found.next, null)
  assert.equal((await lists.list(of, { after: null, count: 10, method: 'cards.verify', outcome: 'ok' })).requests.length, 0)
  const [one] = found.requests
  assert.equal((await lists.list(of, { after: null, count: 10, requestId: one?.requestId ?? '' })).requests.length, 1)
  assert.equal(
    (await lists.list({ ...of, merchantId: 'f'.repeat(24) }, { after: null, count: 9, requestId: one?.requestId ?? '' })).requests.length,
    0,
  )
})

test('a store that does not answer holds up no call: the oldest records go, and the list says how many were not recorded and when', async () => {
  let isDown = true
  const appendRequests: Store['appendRequests'] = async (rows) => {
    if (isDown) throw new StoreUnavailable('it is down')
    return house.store.appendRequests(rows)
  }
  const { recorder, call, list } = open({}, { appendRequests })
  const first = house.clock.now()
  for (let n = 0; n < 25; n++) {
    call()
    house.clock.advance(1000)
  }
  await assert.rejects(recorder.runOnce(never), StoreUnavailable)
  assert.deepEqual([recorder.waiting(), recorder.lost()], [20, 5])
  // While it is away more come than there is room for.
  for (let n = 0; n < 3; n++) call()
  await assert.rejects(recorder.runOnce(never), StoreUnavailable)
  isDown = false
  await recorder.runOnce(never)
  const rows = await list()
  const gaps = rows.filter(({ lost }) => lost > 0)
  assert.equal(rows.length, 21)
  assert.deepEqual(
    gaps.map(({ lost, lostFrom, at }) => [lost, lostFrom - first, at - first]),
    [[8, 0, 7000]],
  )
  assert.equal(recorder.lost(), 8)
})

test('a call that only names a merchant is kept as unproved, a few of them, and none of a merchant that does not exist', async () => {
  const { recorder, call, list, merchantId } = open()
  const unproved = { caller: null, method: null, error: new RpcError('accessDenied'), result: null, xAuth: `${merchantId}:a guess` }
  for (let n = 0; n < 5; n++) call(unproved)
  for (const xAuth of [null, '', 'x', '8600069195406311abcdefab']) call({ ...unproved, xAuth })
  await recorder.runOnce(never)
  const rows = await list()
  assert.deepEqual(rows.map(({ caller, lost, method }) => [caller, lost, method]).toSorted(), [
    ['server', 3, ''],
    ['unproved', 0, ''],
    ['unproved', 0, ''],
  ])
  const none = open({}, {}, { find: async () => null as never })
  none.call({ ...unproved, xAuth: none.merchantId })
  assert.equal(await none.recorder.runOnce(never), 0)
  assert.deepEqual(await none.list(), [])
})

test('what is too old and what is too much of one merchant is dropped, and nothing is recorded where the setting says so', async () => {
  const { recorder, call, list, lists, ...of } = open({ rowsMax: 50, waitingMax: 500 })
  for (let n = 0; n < 80; n++) {
    call()
    house.clock.advance(1)
  }
  await recorder.runOnce(never)
  assert.equal(await recorder.dropPast(never), 30)
  assert.equal((await list()).length, 50)
  house.clock.advance(15 * 86_400_000)
  assert.ok((await recorder.dropPast(never)) >= 50)
  assert.deepEqual((await lists.list(of, { after: null, count: 9 })).requests, [])
  const off = open({ days: 0 })
  off.call()
  assert.equal(off.recorder.waiting(), 0)
})
