import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'

import type { Network } from '../adapters/network/network.ts'
import { parseRoutes } from '../adapters/network/routes.ts'
import { makeSandboxNetwork } from '../adapters/sandbox/network.ts'
import { AdapterConfigError } from '../adapters/adapter.ts'
import { listOperations } from '../store/operations.ts'
import { setScenarioStep } from '../store/sandbox.ts'
import { newReceipt, pass, rowOf } from '../testing/receipts.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'

/** Two cards that always succeed, of the prefixes 860006 and 860049. */
const [firstPan, secondPan] = ['8600069195406311', '8600495473316478']
const judgedMin = 10
const slowMs = 3000

/** An application with two networks, `first` and `second`, each a sandbox that takes one prefix. */
async function openTwo(t: TestContext, { routes = ['860006', '860049'] }: { routes?: readonly [string, string] } = {}) {
  const hangs = new Set<string>()
  const calls: string[] = []
  const app = await createTestApp(t, {
    adapters: {
      networks: (deps) => [named('first', routes[0], makeSandboxNetwork(deps)), named('second', routes[1], makeSandboxNetwork(deps))],
    },
  })
  return { app, hangs, calls }

  function named(name: string, prefixes: string, sandbox: Network) {
    const authorize: Network['authorize'] = async (request, signal) => {
      calls.push(name)
      return hangs.has(name) ? new Promise(() => undefined) : sandbox.authorize(request, signal)
    }
    return { name, port: { ...sandbox, authorize, isSimulated: false, routes: parseRoutes(prefixes) } }
  }
}

test('a card is paid at the network of its prefix, whose name is stored with the payment', async (t) => {
  const { app, calls } = await openTwo(t)
  const merchant = app.merchant()
  for (const [pan, name] of [
    [firstPan, 'first'],
    [secondPan, 'second'],
  ] as const) {
    const id = await newReceipt(merchant)
    await merchant.call('receipts.pay', { id, token: await merchant.createVerifiedToken(pan) })
    const [operation] = await app.store.read(listOperations(await rowOf(app, merchant, id)))
    assert.deepEqual([calls.at(-1), operation?.network], [name, name])
  }
})

test('a network that does not respond is not called for a while, and the cards of the other are paid', async (t) => {
  const { app, hangs, calls } = await openTwo(t)
  const merchant = app.merchant()
  const token = await merchant.createVerifiedToken(firstPan)
  const other = await merchant.createVerifiedToken(secondPan)
  hangs.add('first')
  const ids = await Promise.all(Array.from({ length: judgedMin }, () => newReceipt(merchant)))
  const pending = ids.map((id) => merchant.call('receipts.pay', { id, token }).catch(() => undefined))
  while (calls.length < judgedMin) await new Promise((resolve) => setImmediate(resolve))
  app.clock.advance(slowMs)
  assert.deepEqual([app.peers.network('first').breakerState, app.peers.network('second').breakerState], ['open', 'closed'])
  assert.match(await merchant.expectError('receipts.pay', { id: await newReceipt(merchant), token }), /network_unavailable/)
  const paid = await merchant.call('receipts.pay', { id: await newReceipt(merchant), token: other })
  assert.equal(paid.receipt.state, 4)
  app.clock.advance(60_000)
  await Promise.all(pending)
})

for (const [what, reply, state] of [
  ['that it does not know the payment yet', { kind: 'unknown', isAnswered: true }, 'closed'],
  ['nothing', { kind: 'unknown' }, 'open'],
] as const) {
  test(`a network that replies ${what} to the reversals of lost payments leaves its breaker ${state}`, async (t) => {
    let reversals = 0
    const app = await createTestApp(t, {
      network: (sandbox) => ({
        ...sandbox,
        isSimulated: false,
        status: () => Promise.resolve({ kind: 'noInquiry' }),
        reverse: () => {
          reversals += 1
          return Promise.resolve(reply)
        },
      }),
    })
    const merchant = app.merchant()
    const token = await merchant.createVerifiedToken(firstPan)
    const ids = await Promise.all(Array.from({ length: judgedMin }, () => newReceipt(merchant)))
    await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: 'lose_request' })
    // Each loses its reply; the time between them is longer than calls are judged for.
    for (const id of ids) {
      await pass(app, merchant.callRaw('receipts.pay', { id, token }))
      app.clock.advance(60_000)
    }
    assert.equal(app.peers.network('sandbox').breakerState, 'closed', 'control')
    while (reversals < judgedMin) {
      app.clock.advance(1000)
      await pass(app, app.receiptWorker.runOnce())
    }
    assert.equal(app.peers.network('sandbox').breakerState, state)
  })
}

test('each network has an equal part of the places, so that one cannot take those of the other', async (t) => {
  const { app } = await openTwo(t)
  const networks = app.peers.listPeers().filter(({ kind }) => kind === 'network')
  assert.deepEqual(
    networks.map(({ name, max }) => [name, max]),
    [
      ['first', 300],
      ['second', 300],
    ],
  )
})

test('two networks with the same prefix are refused at the start', async (t) => {
  await assert.rejects(openTwo(t, { routes: ['8600', '860049'] }), AdapterConfigError)
})
