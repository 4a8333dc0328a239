import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, test } from 'node:test'

import { RpcError } from '@tessera/contract/errors'
import { bucketOf } from '@tessera/vault/id'

import { defaultConfig } from '../../testing/default-config.fixture.ts'
import { createTestApp } from '../../testing/test-app.fixture.ts'
import type { CompletedCall } from '../../server/call-observer.ts'
import { Members } from '../../server/reader/members.ts'
import type { RequestLogStore } from '../../store/request-log-store.ts'
import { StoreUnavailable } from '../../store/store.ts'

import { makeRequestLists } from './request-lists.ts'
import type { RequestLoss } from './request-buffer.ts'
import { makeRequestRecorder, recorderSettings, type RecorderSettings } from './request-recorder.ts'
import type { RequestRow } from './request-row.ts'

const app = await createTestApp({ after })
const never = new AbortController().signal
let count = 0

const settings: RecorderSettings = {
  days: 14,
  rowsMax: { server: 1000, browser: 1000, unproved: 1000 },
  budgets: {
    server: { waitingMax: 500, minuteMax: Infinity },
    browser: { waitingMax: 500, minuteMax: 100 },
    unproved: { waitingMax: 50, minuteMax: 2 },
  },
}
/** Room for twenty calls. */
const small: RecorderSettings['budgets'] = { ...settings.budgets, server: { waitingMax: 20, minuteMax: Infinity } }
const failed = (err: unknown): never => assert.fail(String(err))
const anyMerchant = { find: async () => ({}) as never }

function open(parts: Partial<RecorderSettings> = {}, requestLog: RequestLogStore = app.requestLog, merchants = anyMerchant) {
  const merchantId = `abcdefabcdefabcd${String(++count).padStart(8, '0')}`
  const of = { merchantId, bucket: bucketOf(merchantId) }
  const losses: RequestLoss[] = []
  const recorder = makeRequestRecorder({
    requestLog,
    merchants,
    clock: app.clock,
    settings: { ...settings, ...parts },
    failed,
    lost: (loss) => void losses.push(loss),
  })
  const lists = makeRequestLists(app.requestLog)
  const list = async () => (await lists.list(of, { after: null, count: 100 })).requests
  const call = (more: Partial<CompletedCall> = {}): void => {
    const requestId = `feedfeed${String(++count).padStart(8, '0')}feedfeed`
    const caller = { ...of, kind: 'server' } as const
    const none = { xAuth: null, address: '203.0.113.9', params: new Members(), result: {}, error: null, ms: 1.5, bytes: 9 }
    recorder.recordCall({ ...none, requestId, method: 'cards.check', profile: 'spec', caller, ...more })
  }
  return { ...of, recorder, lists, list, call, losses }
}

test('calls are recorded after their replies, a batch at a time, and found by the filters', async () => {
  const { recorder, call, list, lists, ...of } = open()
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
  const append: RequestLogStore['append'] = async (segments) => {
    if (isDown) throw new StoreUnavailable('it is down')
    return app.requestLog.append(segments)
  }
  const { recorder, call, list, losses } = open({ budgets: small }, { ...app.requestLog, append })
  const first = app.clock.now()
  for (let n = 0; n < 25; n++) {
    call()
    app.clock.advance(1000)
  }
  await assert.rejects(recorder.runOnce(never), StoreUnavailable)
  assert.deepEqual([recorder.waiting(), recorder.dropped()], [20, [{ caller: 'server', reason: 'store_slow', count: 5 }]])
  // While it is away more come than there is room for.
  for (let n = 0; n < 3; n++) call()
  await assert.rejects(recorder.runOnce(never), StoreUnavailable)
  isDown = false
  // The row of a minute is written when the minute is over, or at the end of the process.
  await recorder.runOnce(never)
  assert.equal((await list()).length, 20)
  await recorder.flush()
  const rows = await list()
  const gaps = rows.filter(({ lost }) => lost > 0)
  assert.equal(rows.length, 21)
  assert.deepEqual(
    gaps.map(({ lost, lostFrom, at }) => [lost, lostFrom - first, at - first]),
    [[8, 0, 7000]],
  )
  assert.deepEqual(recorder.dropped(), [{ caller: 'server', reason: 'store_slow', count: 8 }])
  assert.deepEqual(
    losses.map(({ count }) => count),
    [8],
  )
})

test('a limited number of calls that only name a merchant is stored, as unproved, and none of a merchant that does not exist', async () => {
  const { recorder, call, list, merchantId } = open()
  const unproved = { caller: null, method: null, error: new RpcError('accessDenied'), result: null, xAuth: `${merchantId}:a guess` }
  for (let n = 0; n < 5; n++) call(unproved)
  for (const xAuth of [null, '', 'x', '8600069195406311abcdefab']) call({ ...unproved, xAuth })
  await recorder.flush()
  const rows = await list()
  assert.deepEqual(rows.map(({ caller, lost, method }) => [caller, lost, method]).toSorted(), [
    ['unproved', 0, ''],
    ['unproved', 0, ''],
    ['unproved', 3, ''],
  ])
  const none = open({}, app.requestLog, { find: async () => null as never })
  none.call({ ...unproved, xAuth: none.merchantId })
  assert.equal(await none.recorder.runOnce(never), 0)
  assert.deepEqual(await none.list(), [])
})

test('old rows and rows beyond a merchant’s maximum are deleted, and nothing is recorded when the log is switched off', async () => {
  const { recorder, call, list, lists, ...of } = open({ rowsMax: { server: 50, browser: 50, unproved: 50 } })
  // Whole segments are deleted, and these have ten calls.
  for (let n = 0; n < 80; n++) {
    call()
    app.clock.advance(1)
    if (n % 10 === 9) await recorder.runOnce(never)
  }
  assert.equal(await recorder.deleteOld(never), 30)
  assert.equal((await list()).length, 50)
  app.clock.advance(15 * 86_400_000)
  assert.ok((await recorder.deleteOld(never)) >= 50)
  assert.deepEqual((await lists.list(of, { after: null, count: 9 })).requests, [])
  const off = open({ days: 0 })
  off.call()
  assert.equal(off.recorder.waiting(), 0)
})

test('a flood in a merchant’s name hides none of the calls of its server: it is recorded up to its budget and then counted, a row a minute', async () => {
  const { recorder, call, list, losses, ...of } = open(recorderSettings(defaultConfig))
  const browser = { caller: { ...of, kind: 'browser' } } as const
  const refused = { caller: null, method: null, error: new RpcError('accessDenied'), result: null, xAuth: `${of.merchantId}:a guess` }
  // Begins with a minute: eight seconds of 1,000 calls with the public id, 500 with a wrong password, and 20 of the server in each.
  app.clock.advance(60_000 - (app.clock.now() % 60_000))
  const from = app.clock.now()
  for (let second = 0; second < 8; second++) {
    for (let n = 0; n < 1000; n++) {
      call(browser)
      if (n % 2 === 0) call(refused)
      if (n % 50 === 0) call()
    }
    app.clock.advance(1000)
    if (second % 3 === 2) await recorder.runOnce(never)
  }
  app.clock.advance(60_000)
  call(browser)
  await recorder.runOnce(never)
  const rows = await listAll(of)
  const countOf = (caller: string): number => rows.filter((row) => row.caller === caller && row.lost === 0).length
  assert.deepEqual([countOf('server'), countOf('browser'), countOf('unproved')], [160, 601, 60])
  const gaps = rows
    .filter(({ lost }) => lost > 0)
    .map(({ caller, reason, lost, lostFrom, at }) => [caller, reason, lost, lostFrom - from < 8000 && at - from < 8000])
  assert.deepEqual(gaps.toSorted(), [
    ['browser', 'minute_budget', 7400, true],
    ['unproved', 'minute_budget', 3940, true],
  ])
  assert.deepEqual(
    recorder
      .dropped()
      .map(({ caller, count }) => [caller, count])
      .toSorted(),
    [
      ['browser', 7400],
      ['unproved', 3940],
    ],
  )
  assert.equal(losses.length, 2)
  assert.ok((await list()).length > 0)
})

test('the same flood hides calls of the server where all callers share one room', async () => {
  const { recorder, call, ...of } = open({ budgets: { ...settings.budgets, server: { waitingMax: 500, minuteMax: Infinity } } })
  // What a page's calls were before: in the same queue as the server's.
  for (let n = 0; n < 1000; n++) {
    call()
    if (n % 50 === 0) call({ method: 'cards.remove' })
  }
  await recorder.runOnce(never)
  assert.ok((await listAll(of)).filter(({ method }) => method === 'cards.remove').length < 20)
})

test('a flood pushes none of the stored calls of the server out', async () => {
  const { recorder, call, ...of } = open({ rowsMax: { server: 50, browser: 25, unproved: 5 } })
  const browser = { caller: { ...of, kind: 'browser' } } as const
  for (let n = 0; n < 40; n++) {
    call()
    app.clock.advance(1)
  }
  await recorder.runOnce(never)
  for (let n = 0; n < 90; n++) {
    call(browser)
    app.clock.advance(1)
    if (n % 5 === 4) await recorder.runOnce(never)
  }
  assert.equal(await recorder.deleteOld(never), 65)
  const rows = await listAll(of)
  assert.deepEqual([rows.filter(({ caller }) => caller === 'server').length, rows.length], [40, 65])
  for (let n = 0; n < 60; n++) {
    call()
    app.clock.advance(1)
    if (n % 10 === 9) await recorder.runOnce(never)
  }
  assert.equal(await recorder.deleteOld(never), 50)
})

test('a damaged file of the request log stops no call: it is set aside, an alarm says so, and the log begins anew', async (t) => {
  const damaged = await createTestApp(t)
  writeFileSync(damaged.requestLog.file ?? assert.fail(), 'not a database'.repeat(1000))
  const shop = damaged.merchant()
  const none = { xAuth: null, address: '127.0.0.1', params: new Members(), result: {}, error: null, ms: 1.5, bytes: 9 }
  const caller = { merchantId: shop.merchantId, bucket: shop.bucket, kind: 'server' } as const
  damaged.recorder.recordCall({ ...none, requestId: 'f'.repeat(24), method: 'cards.check', profile: 'spec', caller })
  assert.equal(await damaged.recorder.runOnce(never), 1)
  assert.deepEqual(damaged.alarms, ['failed Error: file is not a database'])
  const { requests } = await damaged.requestLists.list(shop, { after: null, count: 9 })
  assert.deepEqual(
    requests.map(({ requestId, addressClass }) => [requestId, addressClass]),
    [['f'.repeat(24), 'loopback']],
  )
  assert.equal((await damaged.storeCheck.run('all'))?.findings.length, 0)
})

async function listAll(of: { bucket: number; merchantId: string }): Promise<readonly RequestRow[]> {
  return (await app.requestLists.list(of, { after: null, count: 10_000 })).requests
}
