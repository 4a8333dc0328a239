import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'

import type { Network, NetworkStatus } from '../../adapters/network/network.ts'
import { parseRoutes } from '../../adapters/network/routes.ts'
import { makeSandboxNetwork } from '../../adapters/sandbox/network.ts'
import type { Store } from '../../store/store.ts'
import type { WithStore } from '../../store/suite/opened.fixture.ts'
import { ledgerOf, newReceipt, rowOf, takenBy } from '../../testing/receipts.fixture.ts'
import { createTestApp, type TestApp } from '../../testing/test-app.fixture.ts'
import type { TestMerchant } from '../../testing/test-merchant.fixture.ts'

/** Two cards that always succeed, of the prefixes 860006 and 860049. */
const [firstPan, secondPan] = ['8600069195406311', '8600495473316478']
const minute = 60_000
/** Calls of a network that is failing meanwhile, too few to open its breaker. */
const failing = ['failed', 'failed', 'failed'] as const
const succeeding = Array.from({ length: 7 }, () => 'succeeded' as const)

/** Both networks, of all processes. */
interface NetworkHost {
  /** Those that take everything, and say nothing that decides. */
  readonly silent: Set<string>
  /** Those whose inquiries and reversals break. */
  readonly broken: Set<string>
  /** The request id of each reversal. */
  readonly reversed: string[]
  /** The network of each status inquiry. */
  readonly inquiries: string[]
  inFlight: number
  inFlightMax: number
  /** Called for each status inquiry. */
  onInquiry: () => void
  /** What every status inquiry says; null: the truth. */
  status: NetworkStatus | null
}

interface Opening {
  readonly app: TestApp
  /** Another process on the same store. */
  readonly other: TestApp
  readonly host: NetworkHost
  readonly merchant: TestMerchant
  /** Payments that the network took without saying so. It is silent from then on. */
  payOpen(pan: string, count: number): Promise<string[]>
  /** A hold whose capture has such an outcome. */
  captureOpen(pan: string): Promise<string>
  /** Lets the networks be asked until each of the receipts waits for more than two minutes. */
  waitLong(ids: readonly string[]): Promise<void>
}

/** What becomes of payments that are open at a network when it responds again, on a store. */
export function recoveredNetworksSuite(withStore: WithStore): void {
  const opened = (run: (opening: Opening) => Promise<void>): (() => Promise<void>) =>
    withStore(async ({ store }) => {
      const closing: (() => Promise<void>)[] = []
      const scope = { after: (close: () => Promise<void>) => void closing.push(close) }
      try {
        await run(await open(scope, store))
      } finally {
        for (const close of closing.reverse()) await close()
      }
    })

  test(
    'when a network responds again, everything that is open there is asked about at once, in half of its free places, and nothing of another network',
    opened(async ({ app, host, merchant, payOpen, captureOpen, waitLong }) => {
      const held = await newReceipt(merchant)
      await merchant.call('receipts.pay', { id: held, token: await merchant.createVerifiedToken(firstPan), hold: true })
      const open = [...(await payOpen(firstPan, 7)), await captureOpen(firstPan)]
      const other = await payOpen(secondPan, 2)
      await waitLong([...open, ...other])

      host.silent.clear()
      host.inquiries.length = 0
      host.inFlightMax = 0
      // It answers a customer.
      await payNow(merchant, firstPan)
      await app.receiptWorker.runOnce()
      assert.deepEqual(await statesOf(app, merchant, open), [50, 50, 50, 50, 50, 50, 50, 4])
      assert.deepEqual(await statesOf(app, merchant, [...other, held]), [20, 20, 5])
      assert.ok(!host.inquiries.includes('second'))
      assert.ok(host.inFlightMax > 1 && host.inFlightMax <= 3, `${String(host.inFlightMax)} of 6 places at once`)
      for (const id of open) {
        const { takenTiyin } = await rowOf(app, merchant, id)
        const isCaptured = id === open.at(-1)
        assert.deepEqual(takenBy(await ledgerOf(app, await rowOf(app, merchant, id))), {
          takenTiyin: isCaptured ? takenTiyin : 0,
          heldTiyin: 0,
        })
      }
      await payNow(merchant, secondPan)
      await app.receiptWorker.runOnce()
      assert.deepEqual(await statesOf(app, merchant, other), [50, 50])
    }),
  )

  test(
    'a network that nobody pays at is asked about one open payment every half minute while it fails, and about all when that is answered',
    opened(async ({ app, host, merchant, payOpen, waitLong }) => {
      const open = await payOpen(firstPan, 5)
      await waitLong(open)
      host.inquiries.length = 0
      for (let second = 0; second < 61; second++) {
        app.clock.advance(1000)
        await app.receiptWorker.runOnce()
      }
      assert.ok(host.inquiries.length >= 2 && host.inquiries.length <= 3, `${String(host.inquiries.length)} inquiries in a minute`)
      assert.deepEqual(await statesOf(app, merchant, open), [20, 20, 20, 20, 20])
      host.silent.clear()
      let seconds = 0
      for (; (await statesOf(app, merchant, open)).includes(20); seconds++) {
        assert.ok(seconds < 35, 'the recovery was not found')
        app.clock.advance(1000)
        await app.receiptWorker.runOnce()
      }
      assert.deepEqual(await statesOf(app, merchant, open), [50, 50, 50, 50, 50])
    }),
  )

  test(
    'two processes that both see it respond again make each call once',
    opened(async ({ app, host, merchant, other, payOpen, waitLong }) => {
      const open = await payOpen(firstPan, 8)
      await waitLong(open)
      host.silent.clear()
      await payNow(merchant, firstPan)
      await payNow(other.merchant('spec', merchant.merchantId), firstPan)
      assert.ok(app.peers.network('first').recoveries > 0 && other.peers.network('first').recoveries > 0)
      await Promise.all([app.receiptWorker.runOnce(), other.receiptWorker.runOnce()])
      assert.deepEqual(new Set(await statesOf(app, merchant, open)), new Set([50]))
      assert.deepEqual([host.reversed.length, new Set(host.reversed).size], [open.length, open.length])
    }),
  )

  test(
    'a network that fails again meanwhile is not asked about the others, and about them when it responds for good, without waiting for a minute',
    opened(async ({ app, host, merchant, payOpen, waitLong }) => {
      const open = await payOpen(firstPan, 8)
      await waitLong(open)
      host.silent.clear()
      await payNow(merchant, firstPan)
      host.inquiries.length = 0
      host.onInquiry = () => {
        if (host.inquiries.length > 2) host.broken.add('first')
      }
      await app.receiptWorker.runOnce()
      host.onInquiry = () => undefined
      const left = (await statesOf(app, merchant, open)).filter((state) => state !== 50).length
      assert.ok(left >= 4, `${String(left)} of ${String(open.length)} are left`)
      assert.equal(app.peers.network('first').isFailing, true)
      assert.ok(host.inquiries.length < open.length)
      host.broken.clear()
      app.clock.advance(app.peers.network('first').waitMs(null))
      await payNow(merchant, firstPan)
      app.clock.advance(1000)
      await app.receiptWorker.runOnce()
      assert.ok(!(await statesOf(app, merchant, open)).includes(20))
      // A refund that broke off is sent again after seconds, as always.
      app.clock.advance(5000)
      await app.receiptWorker.runOnce()
      assert.deepEqual(new Set(await statesOf(app, merchant, open)), new Set([50]))
    }),
  )

  test(
    'one that responds and fails by turns is asked about everything once a minute',
    opened(async ({ app, host, payOpen, waitLong }) => {
      const open = await payOpen(firstPan, 3)
      await waitLong(open)
      host.inquiries.length = 0
      const gate = app.peers.network('first')
      const before = gate.recoveries
      // Customers are answered and not answered; nobody says what became of these payments.
      for (let second = 0; second < 59; second++) {
        for (const outcome of [...failing, ...succeeding])
          await gate.call(
            null,
            () => Promise.resolve(),
            () => outcome,
          )
        app.clock.advance(1000)
        await app.receiptWorker.runOnce()
      }
      assert.ok(gate.recoveries > before + 10, 'control')
      assert.equal(host.inquiries.length, open.length)
    }),
  )

  test(
    'a payment about which a network can decide later is asked about then, not when its wait is over',
    opened(async ({ app, host, merchant, payOpen, waitLong }) => {
      const [id = ''] = await payOpen(firstPan, 1)
      await waitLong([id])
      host.silent.clear()
      const decidesAt = app.clock.now() + 20 * minute
      const later: NetworkStatus = { kind: 'unknown', isAnswered: true, decidesAt }
      host.status = later
      for (let minutes = 0; minutes < 20; minutes++) {
        app.clock.advance(minute)
        await app.receiptWorker.runOnce()
        if (minutes === 15) assert.equal((await rowOf(app, merchant, id)).dueAt, decidesAt + 1)
      }
      host.status = null
      assert.equal((await rowOf(app, merchant, id)).state, 20)
      app.clock.advance(1)
      await app.receiptWorker.runOnce()
      assert.equal((await rowOf(app, merchant, id)).state, 50)
    }),
  )
}

async function open(t: Parameters<typeof createTestApp>[0], store: Store): Promise<Opening> {
  const host: NetworkHost = {
    silent: new Set(),
    broken: new Set(),
    reversed: [],
    inquiries: [],
    inFlight: 0,
    inFlightMax: 0,
    onInquiry: () => undefined,
    status: null,
  }
  const options = {
    store,
    // Six places for each of the two networks.
    config: { inFlightMax: 40 },
    adapters: {
      networks: (deps: Parameters<typeof makeSandboxNetwork>[0]) => [
        { name: 'first', port: makeHostNetwork('first', '860006', { host, sandbox: makeSandboxNetwork(deps) }) },
        { name: 'second', port: makeHostNetwork('second', '860049', { host, sandbox: makeSandboxNetwork(deps) }) },
      ],
    },
  }
  const app = await createTestApp(t, options)
  const other = await createTestApp(t, { ...options, continues: app })
  const merchant = app.merchant()
  return {
    app,
    other,
    host,
    merchant,
    async payOpen(pan, count) {
      const token = await merchant.createVerifiedToken(pan)
      host.silent.add(networkOf(pan))
      const ids: string[] = []
      for (let index = 0; index < count; index++) {
        const id = await newReceipt(merchant)
        assert.equal(await merchant.expectError('receipts.pay', { id, token }), 'payment_unknown')
        ids.push(id)
        // So few failures in half a minute open no breaker.
        app.clock.advance(10_000)
      }
      return ids
    },
    async captureOpen(pan) {
      const network = networkOf(pan)
      host.silent.delete(network)
      const id = await newReceipt(merchant)
      await merchant.call('receipts.pay', { id, token: await merchant.createVerifiedToken(pan), hold: true })
      host.silent.add(network)
      assert.equal(await merchant.expectError('receipts.confirm_hold', { id }), 'payment_unknown')
      return id
    },
    async waitLong(ids) {
      for (let round = 0; round < 200; round++) {
        const dues = await Promise.all(ids.map(async (id) => (await rowOf(app, merchant, id)).dueAt ?? 0))
        const first = Math.min(...dues)
        if (first - app.clock.now() > 2 * minute) return
        app.clock.advance(Math.max(0, first - app.clock.now()))
        await app.receiptWorker.runOnce()
      }
      assert.fail('the receipts are not asked about')
    },
  }
}

function makeHostNetwork(name: string, routes: string, { host, sandbox }: { host: NetworkHost; sandbox: Network }): Network {
  // Also when it breaks meanwhile: nothing then says that it responds.
  const requireConnection = (): void => {
    if (host.broken.has(name)) throw new Error('the connection broke')
  }
  const hide = async <T extends { readonly kind: string }>(reply: Promise<T>): Promise<T | { readonly kind: 'unknown' }> => {
    const given = await reply
    return host.silent.has(name) ? { kind: 'unknown' } : given
  }
  return {
    ...sandbox,
    isSimulated: false,
    routes: parseRoutes(routes),
    authorize: (request, signal) => hide(sandbox.authorize(request, signal)),
    capture: (request, signal) => hide(sandbox.capture(request, signal)),
    async reverse(request, signal) {
      requireConnection()
      host.reversed.push(request.requestId)
      const reply = await hide(sandbox.reverse(request, signal))
      requireConnection()
      return reply
    },
    async status(request, signal) {
      host.inquiries.push(name)
      host.onInquiry()
      host.inFlight += 1
      host.inFlightMax = Math.max(host.inFlightMax, host.inFlight)
      try {
        // A reply takes some time, so that calls that may be made at once are.
        for (let turn = 0; turn < 20; turn++) await setImmediate()
        const truth = await sandbox.status(request, signal)
        requireConnection()
        return host.silent.has(name) ? { kind: 'unknown' } : (host.status ?? truth)
      } finally {
        host.inFlight -= 1
      }
    },
  }
}

function networkOf(pan: string): string {
  return pan === firstPan ? 'first' : 'second'
}

async function payNow(merchant: TestMerchant, pan: string): Promise<void> {
  const { receipt } = await merchant.call('receipts.pay', {
    id: await newReceipt(merchant),
    token: await merchant.createVerifiedToken(pan),
  })
  assert.equal(receipt.state, 4)
}

async function statesOf(app: TestApp, merchant: TestMerchant, ids: readonly string[]): Promise<number[]> {
  return Promise.all(ids.map(async (id) => (await rowOf(app, merchant, id)).state))
}
