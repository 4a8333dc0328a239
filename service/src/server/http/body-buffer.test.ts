import assert from 'node:assert/strict'
import { test } from 'node:test'

import { BodyBuffer } from './body-buffer.ts'

test('chunks of any size make one body, and every chunk is wiped', () => {
  for (const sizes of [[10], [1, 1, 1], [5000, 1], [1, 5000, 3], Array.from({ length: 700 }, () => 3), [0, 4, 0]]) {
    const body = new BodyBuffer(10_000)
    const pieces = sizes.map((size, i) => Buffer.alloc(size, (i % 9) + 49))
    const wanted = Buffer.concat(pieces).toString()
    for (const piece of pieces) assert.equal(body.add(piece), true)
    const taken = body.take()
    assert.equal(taken.toString(), wanted)
    taken.fill(0)
    assert.ok(pieces.every((piece) => piece.every((byte) => byte === 0)))
  }
})

test('a body of the maximum length is accepted; one byte more wipes everything', () => {
  const whole = new BodyBuffer(5)
  assert.equal(whole.add(Buffer.from('12345')), true)
  const body = new BodyBuffer(5)
  const pieces = ['123', '45', '6'].map((text) => Buffer.from(text))
  assert.deepEqual(
    pieces.map((piece) => body.add(piece)),
    [true, true, false],
  )
  assert.equal(body.take().length, 0)
  assert.ok(pieces.every((piece) => piece.every((byte) => byte === 0)))
})

test('an abandoned body is wiped', () => {
  const body = new BodyBuffer(100)
  const piece = Buffer.from('secret')
  body.add(piece)
  body.wipe()
  assert.ok(piece.every((byte) => byte === 0))
  assert.equal(body.take().length, 0)
})
