import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeRequestBuffer, type RequestCaller } from './request-buffer.ts'
import type { EncodedRow } from './request-row.ts'

test('more invented merchants in a minute than are counted lose calls of their own kind only', () => {
  const budget = { waitingMax: 10, minuteMax: 2 }
  const buffer = makeRequestBuffer({ server: budget, browser: budget, unproved: budget })
  const add = (caller: RequestCaller, merchantId: string) =>
    buffer.add({ merchantId, bucket: 0, caller, at: 1, requestId: '', text: '[]' } as EncodedRow)
  const lostCalls = (caller: RequestCaller) =>
    buffer
      .dropped()
      .filter((each) => each.caller === caller && each.reason === 'minute_budget')
      .reduce((sum, { count }) => sum + count, 0)
  for (let n = 0; n < 20_000; n++) add('unproved', `invented ${String(n)}`)
  assert.equal(lostCalls('unproved'), 0)
  add('unproved', 'one more')
  assert.equal(lostCalls('unproved'), 1, 'the control: the room of this kind is used up')
  add('browser', 'a merchant')
  add('browser', 'a merchant')
  assert.equal(lostCalls('browser'), 0)
  add('browser', 'a merchant')
  assert.equal(lostCalls('browser'), 1, 'the budget of the merchant counts as before')
})

test('calls that stay while others are taken or dropped still become one segment', () => {
  const budget = { waitingMax: 100, minuteMax: Infinity }
  const buffer = makeRequestBuffer({ server: budget, browser: budget, unproved: { ...budget, waitingMax: 150 } })
  let number = 0
  const add = (caller: RequestCaller, merchantId: string) =>
    buffer.add({ merchantId, bucket: 0, caller, at: ++number, requestId: String(number), text: '[]' } as EncodedRow)
  const shown = (count: number) => buffer.take(count).map(({ caller, merchantId, calls }) => `${caller} ${merchantId} ${String(calls)}`)

  add('server', 'a')
  add('unproved', 'b')
  assert.deepEqual(shown(1), ['server a 1'])
  add('unproved', 'c')
  add('unproved', 'b')
  add('server', 'a')
  assert.deepEqual(shown(10), ['server a 1', 'unproved b 2', 'unproved c 1'])

  const small = makeRequestBuffer({ server: { waitingMax: 150, minuteMax: Infinity }, browser: budget, unproved: budget })
  const addServer = (merchantId: string) =>
    small.add({ merchantId, bucket: 0, caller: 'server', at: ++number, requestId: String(number), text: '[]' } as EncodedRow)
  for (let n = 0; n < 149; n++) addServer(`once ${String(n)}`)
  addServer('twice')
  addServer('others')
  addServer('others')
  addServer('twice')
  const left = small.take(1000)
  assert.equal(left.find(({ merchantId }) => merchantId === 'twice')?.calls, 2)
  assert.equal(
    left.reduce((sum, { calls }) => sum + calls, 0),
    150,
  )
  assert.deepEqual(small.dropped(), [{ caller: 'server', reason: 'store_slow', count: 3 }])
})
