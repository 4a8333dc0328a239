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
const { makeOrderId, openTill } = await import('./till.ts')
type Outcome = InstanceType<typeof Tessera>['outcome']

const day = 24 * 60 * 60 * 1000
const buyer = 'b'.repeat(32)

describe('the till of the shop', () => {
  let started: StartedTessera
  let tessera: InstanceType<typeof Tessera>
  let folder: string
  let files = 0

  before(async () => {
    started = await startTessera()
    tessera = new Tessera(started)
    folder = mkdtempSync(join(tmpdir(), 'tessera-till-'))
  })
  after(async () => {
    rmSync(folder, { recursive: true, force: true })
    await started.stop()
  })

  const open = (file: string, options: { now?: () => number; outcome?: Outcome; keep?: (text: string) => void } = {}) => {
    const { now = Date.now, outcome = tessera.outcome.bind(tessera), keep = () => null } = options
    const records = openRecords(file)
    const { save } = records
    records.save = () => {
      save()
      keep(readFileSync(file, 'utf8'))
    }
    return { records, till: openTill({ tessera: { outcome }, records, now }) }
  }
  const paidReceipts = async (ids: string[]): Promise<number> => {
    const now = Date.now()
    const receipts = await tessera.receipts.get_all({ count: 50, from: now - day, to: now + day })
    return receipts.filter(({ state, account }) => state === 4 && account.some(({ value }) => ids.includes(value))).length
  }
  const file = (): string => join(folder, `records-${++files}.json`)

  it('pays an order once, also when the shop died at any moment and goes on from what it had written', async () => {
    const path = file()
    const written: string[] = []
    const { till } = open(path, { keep: (text) => written.push(text) })
    const token = await saveCard(started)
    const placed = till.place({ buyer, plan: 'monthly', key: makeOrderId() })
    const { id } = placed
    await till.payWithToken(placed, token)
    assert.ok(written.length >= 5, String(written.length))
    for (const text of written) {
      writeFileSync(path, text)
      const reborn = open(path)
      const order = reborn.records.orders[id] ?? assert.fail()
      await reborn.till.settleAll()
      if (order.state !== 'paid') await reborn.till.payWithToken(order, token)
      assert.deepEqual([order.state, reborn.records.buyers[buyer]?.card?.number], ['paid', '8600***6311'])
    }
    assert.equal(await paidReceipts([id]), 1)
  })

  it('does not believe an error: the receipt says that it was paid', async () => {
    const path = file()
    const outcome: Outcome = async (method, params, options) => {
      const told = await tessera.outcome(method, params, options)
      const lost = { reason: 'no_answer', code: 0, message: 'lost', isRetryable: true } as const
      return method === 'receipts.pay' ? { ok: false, problem: lost, idempotencyKey: null, requestId: null } : told
    }
    const { till } = open(path, { outcome })
    const order = till.place({ buyer, plan: 'once', key: makeOrderId() })
    await till.payWithToken(order, await saveCard(started))
    assert.deepEqual([order.state, order.reason, await paidReceipts([order.id])], ['paid', null, 1])
  })

  it('is still asking while nobody answers, and knows when somebody does', async () => {
    const path = file()
    let isDown = false
    const outcome: Outcome = async (method, params, options) => {
      const nobody = new Tessera({ ...started, url: 'http://127.0.0.1:1', retriesMax: 0 })
      if (method === 'receipts.pay') isDown = true
      return (isDown ? nobody : tessera).outcome(method, params, options)
    }
    const { till } = open(path, { outcome })
    const order = till.place({ buyer, plan: 'once', key: makeOrderId() })
    await till.payWithToken(order, await saveCard(started))
    assert.deepEqual([order.state, order.reason], ['paying', 'no_answer'])
    isDown = false
    await till.settleAll()
    assert.deepEqual([order.state, order.pays], ['open', 1])
  })

  it('takes nothing that the page says: not a token of nobody, nor one that was not verified', async () => {
    const { till } = open(file())
    const order = till.place({ buyer, plan: 'once', key: makeOrderId() })
    for (const token of ['', 'x', `${'a'.repeat(24)}_${'A'.repeat(43)}`]) {
      await till.payWithToken(order, token)
      assert.equal(order.state, 'open')
      assert.ok(['token_shape', 'card_not_found', 'member_invalid'].includes(order.reason ?? ''), String(order.reason))
    }
  })

  it('charges a month once, on its day, however often it is asked, the thirty-first too', async () => {
    const path = file()
    // Noon of the thirty-first of January in Tashkent.
    let now = Date.UTC(2027, 0, 31, 7)
    const { till, records } = open(path, { now: () => now })
    const first = till.place({ buyer, plan: 'monthly', key: makeOrderId() })
    await till.payWithToken(first, await saveCard(started))
    const next = (): string => new Date(records.buyers[buyer]?.nextBoxAt ?? 0).toISOString().slice(0, 10)
    assert.equal(next(), '2027-02-28')
    await till.sendBoxesDue()
    assert.equal(Object.keys(records.orders).length, 1)
    now = Date.UTC(2027, 1, 28, 8)
    await Promise.all([till.sendBoxesDue(), till.sendBoxesDue()])
    await till.sendBoxesDue()
    assert.deepEqual(
      Object.values(records.orders).map(({ state }) => state),
      ['paid', 'paid'],
    )
    assert.equal(next(), '2027-03-28')
    assert.equal(await paidReceipts(Object.keys(records.orders)), 2)
  })
})
