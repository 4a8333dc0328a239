import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeHalfPool, makePlacePool } from './place-pool.ts'

test('one merchant gets two thirds of the places at most, and another then as many as twice what is free', () => {
  const pool = makePlacePool({ max: 300 })
  assert.equal(takeAll('a'), 200)
  assert.equal(takeAll('b'), 67)
  assert.equal(takeAll('c'), 22)
  assert.equal(pool.findRefusal('a'), 'share')

  function takeAll(merchantId: string): number {
    let taken = 0
    for (; pool.findRefusal(merchantId) === null; taken++) pool.take(merchantId)
    return taken
  }
})

test('a place that is left can be taken again, by the service itself too', () => {
  const pool = makePlacePool({ max: 2, maxPerMerchant: 1 })
  const leave = pool.take('a')
  assert.equal(pool.findRefusal('a'), 'share')
  assert.equal(pool.findRefusal(null), null)
  pool.take(null)
  assert.deepEqual([pool.findRefusal(null), pool.findRefusal('b'), pool.inFlight], ['full', 'full', 2])
  leave()
  assert.deepEqual([pool.findRefusal('a'), pool.inFlight], [null, 1])
})

test('half of a pool leaves the other half free, of all places and of each merchant', () => {
  const options = { max: 8, maxPerMerchant: 4 }
  const pool = makePlacePool(options)
  const half = makeHalfPool(pool, options)
  const leaves = [half.take('a'), half.take('a')]
  assert.deepEqual([half.findRefusal('a'), pool.findRefusal('a'), pool.inFlight], ['share', null, 2])
  half.take('b')
  half.take('c')
  assert.deepEqual([half.findRefusal('d'), pool.findRefusal('d')], ['full', null])
  for (const leave of leaves) leave()
  assert.deepEqual([half.findRefusal('d'), pool.inFlight, half.inFlight], [null, 2, 2])
})
