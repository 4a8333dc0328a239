import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readPan } from '@tessera/contract/card'

import { encodeBodyWithPan, panPlaceholder, wipeCardNumbers } from './pan-body.ts'

const digits = '8600069195406311'

test('the card number takes its place in the bytes of a request, and nothing else changes', () => {
  const pan = readPan(Buffer.from(digits))
  assert.ok(typeof pan !== 'string')
  const body = encodeBodyWithPan(`{"card":{"pan":"${panPlaceholder}","expiry":"9903"},"name":"Oʻzbek"}`, pan)
  assert.equal(Buffer.from(body).toString(), `{"card":{"pan":"${digits}","expiry":"9903"},"name":"Oʻzbek"}`)
  assert.throws(() => encodeBodyWithPan('{}', pan))
  assert.throws(() => encodeBodyWithPan(panPlaceholder.repeat(2), pan))
})

test('a card number is gone from a reply before the reply is text, and other numbers stay', () => {
  const reply = Buffer.from(
    `{"pan":"${digits}","pan2":${digits},"id":"433835907","ext":"${digits}00000001","refNum":"009980470591","h":"a${digits}"}`,
  )
  wipeCardNumbers(reply)
  const nines = '9'.repeat(16)
  assert.equal(
    reply.toString(),
    `{"pan":"${nines}","pan2":${nines},"id":"433835907","ext":"${digits}00000001","refNum":"009980470591","h":"a${digits}"}`,
  )
})
