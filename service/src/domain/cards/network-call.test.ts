import assert from 'node:assert/strict'
import { test } from 'node:test'

import { renderError } from '@tessera/contract/errors'

import { makeHandClock } from '../../testing/clock.fixture.ts'
import { closedPeerBreaker } from '../limits/peer-breaker.ts'
import { makePeerGate } from '../limits/peer-gate.ts'
import { makePlacePool } from '../limits/place-pool.ts'

import { callCardNetwork, refusalError } from './network-call.ts'

const clock = makeHandClock()
const never = new AbortController().signal
const places = makePlacePool({ max: 1 })
const gate = makePeerGate({ kind: 'network', places, breaker: closedPeerBreaker, onRefused: () => undefined })

test('a network adapter that throws is a system error: the cause goes to the log and only an id to the caller', async () => {
  const cause = new Error('password=hunter2')
  const refusal = await callCardNetwork({ gate, merchantId: '', clock, timeoutMs: 8000, signal: never }, () => Promise.reject(cause))
  assert.deepEqual(refusal, { kind: 'refused', reason: 'systemError', cause })
  const error = refusalError({ kind: 'refused', reason: 'systemError', cause }, 'a'.repeat(24))
  assert.equal(error.cause, cause)
  const rendered = renderError(error, { profile: 'spec', language: 'en', origin: null })
  assert.deepEqual(rendered, { code: -32400, message: 'System error.', data: 'a'.repeat(24), reason: 'system_error' })
})
