import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeEndpointQueues } from './endpoint-queues.ts'

const endpoint = (n: number) => ({ bucket: 0, endpointId: `e${n}` })

test('endpoints that never answer leave room for others: the fewer places are free, the fewer each may take', () => {
  const queues = makeEndpointQueues({ inFlightMax: 64, endpointInFlightMax: 8 })
  // Each has answered often, so that its pace allows eight, and then hangs.
  for (let n = 0; n < 14; n++) {
    for (let answers = 0; answers < 8; answers++) {
      queues.add(endpoint(n))
      for (const turn of queues.takeTurns(1, 0)) {
        queues.endTurn(turn, { count: turn.count, hasMore: false })
        for (let m = 0; m < turn.count; m++) queues.end(turn.endpoint, { answer: 'answered', startedAt: 0, endedAt: 0, hasNext: false })
      }
    }
  }
  const taken: number[] = []
  for (let n = 0; n < 14; n++) {
    queues.add(endpoint(n))
    for (const turn of queues.takeTurns(1, 1)) {
      queues.endTurn(turn, { count: turn.count, hasMore: true })
      taken.push(turn.count)
    }
  }
  assert.equal(taken.length, 14, 'every endpoint has something in progress')
  assert.equal(taken[0], 8)
  assert.deepEqual(
    taken,
    taken.toSorted((one, other) => other - one),
  )
  assert.equal(
    queues.inFlight,
    taken.reduce((sum, count) => sum + count, 0),
  )
  assert.ok(queues.inFlight < 64)
})

test('endpoints take turns, and a backlog of one does not let it go first again', () => {
  const queues = makeEndpointQueues({ inFlightMax: 512, endpointInFlightMax: 16 })
  for (let n = 0; n < 3; n++) queues.add(endpoint(n))
  const order: string[] = []
  for (let round = 0; round < 6; round++)
    for (const turn of queues.takeTurns(1, 0)) {
      order.push(turn.endpoint.endpointId)
      queues.endTurn(turn, { count: turn.count, hasMore: true })
      for (let m = 0; m < turn.count; m++) queues.end(turn.endpoint, { answer: 'answered', startedAt: 0, endedAt: 0, hasNext: false })
    }
  assert.deepEqual(order, ['e0', 'e1', 'e2', 'e0', 'e1', 'e2'])
})

test('an endpoint that is down is forgotten when nothing has waited for it for ten minutes, and not before', () => {
  const queues = makeEndpointQueues({ inFlightMax: 512, endpointInFlightMax: 16 })
  for (const at of [0, 1, 2]) {
    queues.add(endpoint(1))
    for (const turn of queues.takeTurns(1, at)) {
      queues.endTurn(turn, { count: 1, hasMore: false })
      queues.end(turn.endpoint, { answer: 'none', startedAt: at, endedAt: at, hasNext: false })
    }
  }
  assert.deepEqual(queues.listDown(), [endpoint(1)])
  queues.takeTurns(1, 600_000)
  assert.deepEqual(queues.listDown(), [endpoint(1)])
  queues.takeTurns(1, 600_003)
  assert.deepEqual(queues.listDown(), [])
})
