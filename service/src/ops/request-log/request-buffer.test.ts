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
