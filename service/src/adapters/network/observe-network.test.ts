import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { AuthorizationRequest, CodeCheckRequest, Network, NetworkOutcome, StatusRequest } from './network.ts'
import { NetworkNotReached } from './network-not-reached.ts'
import { observeNetwork, type NetworkCall } from './observe-network.ts'

const request = {} as AuthorizationRequest

test('each call is reported once with its own outcome, and a decline is an answer while silence is none, and a local precheck neither', async () => {
  const outcomes: (NetworkOutcome | Error)[] = [
    { kind: 'approved', networkRef: 'r' },
    { kind: 'declined', reason: 'insufficientFunds', rawCode: '116' },
    { kind: 'declined', reason: 'networkTimeout', rawCode: '' },
    { kind: 'unknown' },
    { kind: 'unknown', isAnswered: true },
    new Error('broken'),
    new NetworkNotReached(),
  ]
  const { network, calls } = observed({
    authorize: async () => {
      const outcome = outcomes.shift()
      if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error('no more')
      return outcome
    },
    status: () => Promise.resolve({ kind: 'neverSeen' }),
    checkCode: () => Promise.resolve({ kind: 'unknown' }),
    precheckCard: () => Promise.resolve(null),
  })
  const { signal } = new AbortController()
  for (let i = 0; i < 5; i++) await network.authorize(request, signal)
  await assert.rejects(network.authorize(request, signal), /broken/)
  await assert.rejects(network.authorize(request, signal), NetworkNotReached)
  await network.status({} as StatusRequest, signal)
  await network.checkCode({} as CodeCheckRequest, signal)
  await network.precheckCard(request, signal)
  assert.deepEqual(
    calls.map(({ operation, outcome, isAnswered }) => [operation, outcome, isAnswered]),
    [
      ['authorize', 'approved', true],
      ['authorize', 'declined', true],
      ['authorize', 'declined', false],
      ['authorize', 'unknown', false],
      ['authorize', 'unknown', true],
      ['authorize', 'failed', false],
      ['authorize', 'not_reached', false],
      ['status', 'never_seen', true],
      ['check_code', 'unknown', true],
      ['precheck_card', 'allowed', null],
    ],
  )
})

test('a call that its caller gives up is reported then, and not again when it ends', async () => {
  let end: (outcome: NetworkOutcome) => void = () => undefined
  const { network, calls } = observed({ authorize: () => new Promise((resolve) => (end = resolve)) })
  const giving = new AbortController()
  const pending = network.authorize(request, giving.signal)
  giving.abort()
  assert.deepEqual(
    calls.map(({ outcome }) => outcome),
    ['failed'],
  )
  end({ kind: 'approved', networkRef: 'r' })
  await pending
  assert.equal(calls.length, 1)
})

function observed(methods: Partial<Network>) {
  const calls: NetworkCall[] = []
  const network = observeNetwork({ network: { routes: [], ...methods } as Network, onCall: (call) => calls.push(call), now: () => 0 })
  return { network, calls }
}
