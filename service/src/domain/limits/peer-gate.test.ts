import assert from 'node:assert/strict'
import { test } from 'node:test'

import { closedPeerBreaker } from './peer-breaker.ts'
import { makePeerGate, type PeerRefusal } from './peer-gate.ts'
import { makePlacePool } from './place-pool.ts'

test('a refusal counts when it is asked for as one, and not when it is only a question', async () => {
  const refused: PeerRefusal[] = []
  const places = makePlacePool({ max: 1 })
  const gate = makePeerGate({ kind: 'sms', places, breaker: closedPeerBreaker, onRefused: (refusal) => void refused.push(refusal) })
  const merchantId = 'a'.repeat(24)
  assert.equal(gate.waitMs(merchantId), 0)
  places.take(null)
  assert.equal(gate.waitMs(merchantId), 1000)
  assert.deepEqual(refused, [])
  assert.equal(gate.refusalMs(merchantId), 1000)
  assert.deepEqual(refused, [{ kind: 'sms', reason: 'full', merchantId }])
})
