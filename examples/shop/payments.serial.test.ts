import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { saveCard } from '../../client/src/save-card.fixture.ts'
import { startTessera, type StartedTessera } from '../../tools/start-tessera.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
// The example imports the library as a merchant does: built.
await promisify(execFile)(process.execPath, ['tools/build-client.ts'], { cwd: root })
const { Tessera } = await import('@tessera/client')
const { openRecords } = await import('./records.ts')
const { createOrderId, createPayments } = await import('./payments.ts')
type Outcome = InstanceType<typeof Tessera>['outcome']

const day = 24 * 60 * 60 * 1000
const buyer = 'b'.repeat(32)

describe('payments of the example shop', () => {
  let started: StartedTessera
  let tessera: InstanceType<typeof Tessera>
  let folder: string
  let files = 0

  before(async () => {
    started = await startTessera()
    tessera = new Tessera(started)
    folder = mkdtempSync(join(tmpdir(), 'tessera-payments-'))
  })
  after(async () => {
    rmSync(folder, { recursive: true, force: true })
    await started.stop()
  })

  const open = (file: string, options: { now?: () => number; outcome?: Outcome; onSave?: (text: string) => void } = {}) => {
    const { now = Date.now, outcome = tessera.outcome.bind(tessera), onSave = () => null } = options
    const records = openRecords(file)
    const { save } = records
    records.save = () => {
      save()
      onSave(readFileSync(file, 'utf8'))
    }
    return { records, payments: createPayments({ tessera: { outcome }, records, now }) }
  }
  const paidReceipts = async (ids: string[]): Promise<number> => {
    const now = Date.now()
    const receipts = await tessera.receipts.get_all({ count: 50, from: now - day, to: now + day })
    return receipts.filter(({ state, account }) => state === 4 && account.some(({ value }) => ids.includes(value))).length
  }
  const file = (): string => join(folder, `records-${++files}.json`)

  it('pays an order once, also when the shop crashes at any moment and continues from its stored data', async () => {
    const path = file()
    const written: string[] = []
    const { payments } = open(path, { onSave: (text) => written.push(text) })
    const token = await saveCard(started)
    const placed = payments.placeOrder({ buyer, plan: 'monthly', key: createOrderId() })
    const { id } = placed
    await payments.payWithToken(placed, token)
    assert.ok(written.length >= 5, String(written.length))
    for (const text of written) {
      writeFileSync(path, text)
      const restarted = open(path)
      const order = restarted.records.orders[id] ?? assert.fail()
      await restarted.payments.refreshAll()
      if (order.state !== 'paid') await restarted.payments.payWithToken(order, token)
      assert.deepEqual([order.state, restarted.records.buyers[buyer]?.card?.number], ['paid', '8600***6311'])
    }
    assert.equal(await paidReceipts([id]), 1)
  })

  it('trusts the receipt, not an error response', async () => {
    const path = file()
    const outcome: Outcome = async (method, params, options) => {
      const outcomeOfCall = await tessera.outcome(method, params, options)
      const lost = { reason: 'no_answer', code: 0, message: 'lost', isRetryable: true } as const
      return method === 'receipts.pay' ? { ok: false, problem: lost, idempotencyKey: null, requestId: null } : outcomeOfCall
    }
    const { payments } = open(path, { outcome })
    const order = payments.placeOrder({ buyer, plan: 'once', key: createOrderId() })
    await payments.payWithToken(order, await saveCard(started))
    assert.deepEqual([order.state, order.reason, await paidReceipts([order.id])], ['paid', null, 1])
  })

  it('keeps a payment open while the service is unreachable, and reads its result afterwards', async () => {
    const path = file()
    let isDown = false
    const outcome: Outcome = async (method, params, options) => {
      const unreachable = new Tessera({ ...started, url: 'http://127.0.0.1:1', retriesMax: 0 })
      if (method === 'receipts.pay') isDown = true
      return (isDown ? unreachable : tessera).outcome(method, params, options)
    }
    const { payments } = open(path, { outcome })
    const order = payments.placeOrder({ buyer, plan: 'once', key: createOrderId() })
    await payments.payWithToken(order, await saveCard(started))
    assert.deepEqual([order.state, order.reason], ['paying', 'no_answer'])
    isDown = false
    await payments.refreshAll()
    assert.deepEqual([order.state, order.pays], ['open', 1])
  })

  it('does not trust the page: rejects invalid and unknown tokens', async () => {
    const { payments } = open(file())
    const order = payments.placeOrder({ buyer, plan: 'once', key: createOrderId() })
    for (const token of ['', 'x', `${'a'.repeat(24)}_${'A'.repeat(43)}`]) {
      await payments.payWithToken(order, token)
      assert.equal(order.state, 'open')
      assert.ok(['token_shape', 'card_not_found', 'member_invalid'].includes(order.reason ?? ''), String(order.reason))
    }
  })

  it('charges each month once, on its day, also for the thirty-first', async () => {
    const path = file()
    // Noon of January 31 in Tashkent.
    let now = Date.UTC(2027, 0, 31, 7)
    const { payments, records } = open(path, { now: () => now })
    const first = payments.placeOrder({ buyer, plan: 'monthly', key: createOrderId() })
    await payments.payWithToken(first, await saveCard(started))
    const next = (): string => new Date(records.buyers[buyer]?.nextBoxAt ?? 0).toISOString().slice(0, 10)
    assert.equal(next(), '2027-02-28')
    await payments.sendBoxesDue()
    assert.equal(Object.keys(records.orders).length, 1)
    now = Date.UTC(2027, 1, 28, 8)
    await Promise.all([payments.sendBoxesDue(), payments.sendBoxesDue()])
    await payments.sendBoxesDue()
    assert.deepEqual(
      Object.values(records.orders).map(({ state }) => state),
      ['paid', 'paid'],
    )
    assert.equal(next(), '2027-03-28')
    assert.equal(await paidReceipts(Object.keys(records.orders)), 2)
  })
})
