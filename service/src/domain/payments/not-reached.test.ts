import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'

import type { ErrorBody } from '@tessera/contract/errors'

import type { Network } from '../../adapters/network/network.ts'
import { NetworkNotReached } from '../../adapters/network/network-not-reached.ts'
import { listOperations } from '../../store/operations.ts'
import { ledgerOf, newReceipt, pass, rowOf, successPan, takenBy } from '../../testing/receipts.fixture.ts'
import { createTestApp } from '../../testing/test-app.fixture.ts'

/** An application whose network refuses connections while `isAway`. */
async function openWithHost(t: TestContext) {
  const host = { isAway: false }
  const reach = <T>(call: () => Promise<T>): Promise<T> => (host.isAway ? Promise.reject(new NetworkNotReached()) : call())
  const network = (sandbox: Network): Network => ({
    ...sandbox,
    isSimulated: false,
    startVerification: (request, signal) => reach(() => sandbox.startVerification(request, signal)),
    checkCode: (request, signal) => reach(() => sandbox.checkCode(request, signal)),
    authorize: (request, signal) => reach(() => sandbox.authorize(request, signal)),
    capture: (request, signal) => reach(() => sandbox.capture(request, signal)),
    cancelHold: (request, signal) => reach(() => sandbox.cancelHold(request, signal)),
    status: (request, signal) => reach(() => sandbox.status(request, signal)),
  })
  const app = await createTestApp(t, { network })
  return { app, host, merchant: app.merchant() }
}

const unavailable = [-31002, 'network_unavailable', 5000]

function refusalIn(reply: object): readonly unknown[] {
  assert.ok('error' in reply, JSON.stringify(reply))
  const { code, reason, retry_after: retryAfter } = reply.error as ErrorBody
  return [code, reason, retryAfter]
}

test('a network that refuses connections takes nothing: the first payment says so, and the receipt and its one-time card can be paid', async (t) => {
  const { app, host, merchant } = await openWithHost(t)
  const card = { number: '', expire: '0399' }
  const { token } = ((await merchant.callRaw('cards.create', { card, save: false }, successPan)) as { card: { token: string } }).card
  await merchant.call('cards.get_verify_code', { token })
  await merchant.call('cards.verify', { token, code: '666666' })
  const id = await newReceipt(merchant)
  host.isAway = true
  for (const attempt of [1, 2]) {
    assert.deepEqual(refusalIn(await merchant.callRaw('receipts.pay', { id, token })), unavailable, String(attempt))
    const row = await rowOf(app, merchant, id)
    assert.deepEqual([row.state, row.oneTime], [0, false])
    const operations = await app.store.read(listOperations(row))
    assert.deepEqual(
      operations.map(({ state, reason }) => [state, reason]),
      Array.from({ length: attempt }, () => ['declined', 'networkUnavailable']),
    )
  }
  host.isAway = false
  assert.equal((await merchant.call('receipts.pay', { id, token })).receipt.state, 4)
  assert.deepEqual(takenBy(await ledgerOf(app, await rowOf(app, merchant, id))), { takenTiyin: 500_000, heldTiyin: 0 })
})

test('a capture that was not sent leaves the hold, and a release that was not sent is sent again', async (t) => {
  const { app, host, merchant } = await openWithHost(t)
  const token = await merchant.createVerifiedToken(successPan)
  const id = await newReceipt(merchant)
  await merchant.call('receipts.pay', { id, token, hold: true })
  host.isAway = true
  assert.deepEqual(refusalIn(await merchant.callRaw('receipts.confirm_hold', { id })), unavailable)
  assert.equal((await rowOf(app, merchant, id)).state, 5)
  await merchant.call('receipts.cancel', { id })
  for (let round = 0; round < 3; round++) {
    app.clock.advance(60_000)
    await pass(app, app.receiptWorker.runOnce())
    assert.equal((await rowOf(app, merchant, id)).state, 21, 'the release is repeated until the network confirms it')
  }
  host.isAway = false
  app.clock.advance(3_600_000)
  await pass(app, app.receiptWorker.runOnce())
  assert.equal((await rowOf(app, merchant, id)).state, 50)
})

test('a code that was not requested at the network, or not checked there, is refused in the same way and costs no attempt', async (t) => {
  const { app, host, merchant } = await openWithHost(t)
  const [token, fresh] = [await merchant.createToken(successPan), await merchant.createToken(successPan)]
  await merchant.call('cards.get_verify_code', { token })
  host.isAway = true
  assert.deepEqual(refusalIn(await merchant.callRaw('cards.get_verify_code', { token: fresh })), unavailable)
  assert.deepEqual(refusalIn(await merchant.callRaw('cards.verify', { token, code: '666666' })), unavailable)
  host.isAway = false
  assert.equal((await merchant.call('cards.verify', { token, code: '666666' })).card.verify, true)
  assert.equal(app.peers.network('sandbox').breakerState, 'closed')
})

test('the breaker of a network that refuses connections opens after ten calls', async (t) => {
  const { app, host, merchant } = await openWithHost(t)
  const token = await merchant.createVerifiedToken(successPan)
  host.isAway = true
  for (let attempt = 0; attempt < 10; attempt++) {
    const id = await newReceipt(merchant)
    assert.deepEqual(refusalIn(await merchant.callRaw('receipts.pay', { id, token })), unavailable)
  }
  assert.equal(app.peers.network('sandbox').breakerState, 'open')
})
