import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeEndpointPace, toEndpointAnswer } from './endpoint-pace.ts'

const at = (startedAt: number, endedAt = startedAt + 1) => ({ startedAt, endedAt })

test('an endpoint starts with two deliveries at a time and grows with each answer up to the maximum', () => {
  const pace = makeEndpointPace(8)
  assert.equal(pace.allowed(0), 2)
  for (let n = 0; n < 3; n++) pace.record('answered', at(n))
  assert.equal(pace.allowed(0), 5)
  for (let n = 0; n < 20; n++) pace.record('answered', at(n))
  assert.equal(pace.allowed(0), 8)
})

test('deliveries that fail together halve the number once, and from there it grows by one a round', () => {
  const pace = makeEndpointPace(16)
  for (let n = 0; n < 14; n++) pace.record('answered', at(n))
  assert.equal(pace.allowed(0), 16)
  pace.record('none', at(20, 30))
  pace.record('none', at(21, 31))
  assert.equal(pace.allowed(40), 8)
  pace.record('answered', at(40))
  for (let n = 0; n < 8; n++) pace.record('answered', at(41))
  assert.equal(pace.allowed(50), 9)
})

test('three failures in a row are an endpoint that is down: it is probed by one at a time, less and less often, until it answers', () => {
  const pace = makeEndpointPace(16)
  for (let n = 0; n < 3; n++) pace.record('none', at(n, 100))
  assert.ok(pace.isDown())
  assert.deepEqual([pace.allowed(599), pace.allowed(600)], [0, 1])
  assert.equal(pace.record('none', at(600, 700)), false)
  assert.deepEqual([pace.allowed(1699), pace.allowed(1700)], [0, 1])
  for (let n = 0; n < 20; n++) pace.record('none', at(n, 20_000))
  assert.deepEqual([pace.allowed(29_999), pace.allowed(30_000)], [0, 1])
  assert.equal(pace.record('answered', at(30_000)), true)
  assert.equal(pace.isDown(), false)
  assert.equal(pace.record('answered', at(30_001)), false)
})

test('an endpoint that rejects an event answers, one that says that it cannot does not, and one that was not asked says nothing', () => {
  const statuses = [400, 404, 410, 408, 429, 500, 503].map((status) => toEndpointAnswer({ outcome: 'refused', status }))
  assert.deepEqual(statuses, ['answered', 'answered', 'answered', 'refused', 'refused', 'refused', 'refused'])
  assert.equal(toEndpointAnswer({ outcome: 'late', status: 0 }), 'none')
  assert.equal(toEndpointAnswer({ outcome: 'forbidden_address', status: 0 }), 'neutral')
  const pace = makeEndpointPace(16)
  for (let n = 0; n < 5; n++) pace.record('neutral', at(n))
  assert.deepEqual([pace.isDown(), pace.allowed(0)], [false, 2])
})
