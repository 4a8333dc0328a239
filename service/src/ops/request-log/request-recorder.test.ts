import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { RpcError } from '@tessera/contract/errors'
import { bucketOf } from '@tessera/vault/id'

import { createTestApp } from '../../testing/test-app.fixture.ts'
import type { CompletedCall } from '../../server/call-observer.ts'
import { Members } from '../../server/reader/members.ts'
import { insertRequests } from '../../store/request-log.ts'
import { type Store, StoreUnavailable } from '../../store/store.ts'

import { makeRequestLists } from './request-lists.ts'
import { makeRequestRecorder, type RecorderSettings } from './request-recorder.ts'
import { replaceInStore, replaceWrite } from '../../testing/store.fixture.ts'

const app = await createTestApp({ after })
const never = new AbortController().signal
let count = 0

const settings: RecorderSettings = { days: 14, rowsMax: 1000, waitingMax: 20 }
const failed = (err: unknown): never => assert.fail(String(err))
const anyMerchant = { find: async () => ({}) as never }

function open(parts: Partial<RecorderSettings> = {}, store: Store = app.store, merchants = anyMerchant) {
  const merchantId = `abcdefabcdefabcd${String(++count).padStart(8, '0')}`
  const of = { merchantId, bucket: bucketOf(merchantId) }
  const recorder = makeRequestRecorder({
    store,
    merchants,
    clock: app.clock,
    settings: { ...settings, ...parts },
    failed,
  })
  const lists = makeRequestLists(app.store)
  const list = async () => (await lists.list(of, { after: null, count: 100 })).requests
  const call = (more: Partial<CompletedCall> = {}): void => {
    const requestId = `feedfeed${String(++count).padStart(8, '0')}feedfeed`
    const caller = { ...of, kind: 'server' } as const
    const none = { xAuth: null, params: new Members(), result: {}, error: null, ms: 1.5, bytes: 9 }
    recorder.recordCall({ ...none, requestId, method: 'cards.check', profile: 'spec', caller, ...more })
  }
  return { ...of, recorder, lists, list, call }
}

test('calls are recorded after their replies, a batch at a time, and found by the filters', async () => {
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

test('a store that does not answer delays no call: the oldest records are dropped, and the list says how many and when', async () => {
  let isDown = true
  const insert = replaceWrite(insertRequests, async (_rows, original) => {
    if (isDown) throw new StoreUnavailable('it is down')
    return original()
  })
  const { recorder, call, list } = open({}, replaceInStore(app.store, insert))
  const first = app.clock.now()
  for (let n = 0; n < 25; n++) {
    call()
    app.clock.advance(1000)
  }
  await assert.rejects(recorder.runOnce(never), StoreUnavailable)
  assert.deepEqual([recorder.waiting(), recorder.droppedCount()], [20, 5])
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
  assert.equal(recorder.droppedCount(), 8)
})

test('a limited number of calls that only name a merchant is stored, as unproved, and none of a merchant that does not exist', async () => {
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
  const none = open({}, app.store, { find: async () => null as never })
  none.call({ ...unproved, xAuth: none.merchantId })
  assert.equal(await none.recorder.runOnce(never), 0)
  assert.deepEqual(await none.list(), [])
})

test('old rows and rows beyond a merchant’s maximum are deleted, and nothing is recorded when the log is switched off', async () => {
  const { recorder, call, list, lists, ...of } = open({ rowsMax: 50, waitingMax: 500 })
  for (let n = 0; n < 80; n++) {
    call()
    app.clock.advance(1)
  }
  await recorder.runOnce(never)
  assert.equal(await recorder.deleteOld(never), 30)
  assert.equal((await list()).length, 50)
  app.clock.advance(15 * 86_400_000)
  assert.ok((await recorder.deleteOld(never)) >= 50)
  assert.deepEqual((await lists.list(of, { after: null, count: 9 })).requests, [])
  const off = open({ days: 0 })
  off.call()
  assert.equal(off.recorder.waiting(), 0)
})
