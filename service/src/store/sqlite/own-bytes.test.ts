import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownBytes } from './own-bytes.ts'

test('a small buffer is copied alone, without the slab that it shares with others', () => {
  const pooled = Buffer.from('short')
  assert.ok(pooled.buffer.byteLength > pooled.byteLength, 'Node pools small buffers')
  const sent = structuredClone(ownBytes({ card: { blob: pooled, list: [pooled] }, at: 1 }))
  for (const bytes of [sent.card.blob, sent.card.list[0]!]) {
    assert.equal(bytes.buffer.byteLength, pooled.byteLength)
    assert.deepEqual(bytes, new Uint8Array(pooled))
  }
})

test('data that needs no copy is not copied, and the input is not changed', () => {
  const whole = { blob: new Uint8Array([1, 2, 3]), text: 'a', nothing: null, deep: { list: [1, 'b'] as const } }
  assert.equal(ownBytes(whole), whole)
  assert.equal(ownBytes(whole).blob, whole.blob)
  const view = { blob: new Uint8Array(8).subarray(2, 4) }
  assert.notEqual(ownBytes(view), view)
  assert.equal(view.blob.buffer.byteLength, 8)
})
