import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'

import { saveCard } from '../../client/src/save-card.fixture.ts'
import { startTessera, type StartedTessera } from '../../tools/start-tessera.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const runProgram = promisify(execFile)
// The example imports the library as a merchant does: built.
await runProgram(process.execPath, ['tools/build-client.ts'], { cwd: root })
const { Tessera, receiptStates } = await import('@tessera/client')
const { openSubscriptions } = await import('./subscriptions.ts')
const { chargeDue } = await import('./charge.ts')
const { createWebhookHandler } = await import('./webhook.ts')
const { changeCard } = await import('./payment-result.ts')
type Subscriptions = ReturnType<typeof openSubscriptions>

const day = 24 * 60 * 60 * 1000
/** Noon of the fifth of December in Tashkent. */
const december5 = Date.UTC(2026, 11, 5, 7)
const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`

let started: StartedTessera
let client: InstanceType<typeof Tessera>
let folder: string
let file: string
let count = 0

before(async () => {
  started = await startTessera()
  client = new Tessera(started)
  folder = mkdtempSync(join(tmpdir(), 'tessera-subscriptions-'))
})
beforeEach(() => (file = join(folder, `subscriptions-${++count}.json`)))
after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await started.stop()
})

describe('a member is charged', () => {
  it('on their day of the month and not before, once, however often the function is called', async () => {
    const subscriptions = await subscriptionsOf('8600069195406311')
    await chargeDue(december5 - day, { client, subscriptions })
    assert.deepEqual(subscriptions.members[0]?.charges, {})
    for (const now of [december5, december5 + 1, december5 + 20 * day]) await chargeDue(now, { client, subscriptions })
    assert.deepEqual(statesOf(subscriptions), { '2026-12': 'paid' })
    assert.equal((await receiptsOf(subscriptions)).length, 1)
  })

  it('every month, in the time zone of Tashkent', async () => {
    const subscriptions = await subscriptionsOf('8600069195406311')
    // At 19:00 UTC the next day has begun in Tashkent.
    for (const month of [11, 12, 13]) await chargeDue(Date.UTC(2026, month, 4, 19), { client, subscriptions })
    assert.deepEqual(statesOf(subscriptions), { '2026-12': 'paid', '2027-01': 'paid', '2027-02': 'paid' })
    assert.deepEqual(
      (await receiptsOf(subscriptions)).map(({ state }) => state),
      [4, 4, 4],
    )
  })

  it('once, also when the process crashed and continues from an older file', async () => {
    const subscriptions = await subscriptionsOf('8600069195406311')
    const beforeAll = readFileSync(file, 'utf8')
    const snapshots: string[] = []
    const recording: Subscriptions = {
      ...subscriptions,
      save: () => (subscriptions.save(), void snapshots.push(readFileSync(file, 'utf8'))),
    }
    await chargeDue(december5, { client, subscriptions: recording })
    for (const snapshot of [beforeAll, ...snapshots]) {
      writeFileSync(file, snapshot)
      const restarted = openSubscriptions(file)
      await chargeDue(december5 + 60 * 60 * 1000, { client, subscriptions: restarted })
      assert.deepEqual(statesOf(restarted), { '2026-12': 'paid' })
    }
    assert.ok(snapshots.length >= 4)
    assert.equal((await receiptsOf(subscriptions)).filter(({ state }) => state === receiptStates.paid).length, 1)
  })

  it('again one, three and seven days after a declined payment, and then no more', async () => {
    const subscriptions = await subscriptionsOf('8600143417770323')
    for (let now = december5; now < december5 + 25 * day; now += day) await chargeDue(now, { client, subscriptions })
    const { state, attempt, reason } = subscriptions.members[0]?.charges['2026-12'] ?? {}
    assert.deepEqual({ state, attempt, reason }, { state: 'failed', attempt: 4, reason: 'system_error' })
    const receipts = await receiptsOf(subscriptions)
    assert.deepEqual(
      receipts.map((receipt) => receipt.state),
      [50, 50, 50, 50],
    )
  })

  it('with another card when the first is blocked', async () => {
    const subscriptions = await subscriptionsOf('4444445987459073')
    await chargeDue(december5, { client, subscriptions })
    const [member] = subscriptions.members
    assert.ok(member)
    assert.deepEqual([member.token, member.charges['2026-12']?.reason], [null, 'card_blocked'])
    changeCard(member, await saveCard(started), december5)
    await chargeDue(december5, { client, subscriptions })
    assert.deepEqual(statesOf(subscriptions), { '2026-12': 'paid' })
  })

  it('later when the service is unreachable', async () => {
    const subscriptions = await subscriptionsOf('8600069195406311')
    const unreachable = new Tessera({ ...started, url: 'http://127.0.0.1:1', retriesMax: 0 })
    await chargeDue(december5, { client: unreachable, subscriptions })
    assert.equal(subscriptions.members[0]?.charges['2026-12']?.reason, 'no_answer')
    await chargeDue(december5 + 5 * 60 * 1000, { client, subscriptions })
    assert.deepEqual(statesOf(subscriptions), { '2026-12': 'paid' })
  })
})

describe('a webhook delivery', () => {
  it('marks an open charge as paid, and is handled once', async () => {
    const subscriptions = await subscriptionsOf('8600069195406311')
    const charge = { state: 'open', dueAt: 1e15, attempt: 1, receiptId: 'a'.repeat(24), pays: 1, reason: 'payment_unknown' } as const
    subscriptions.members[0]!.charges = { '2026-12': { ...charge } }
    const paid = { type: 'receipt.paid', timestamp: 'now', data: { receipt: { id: charge.receiptId }, customer: null } }
    assert.equal(await deliver(subscriptions, paid, 'evt_1'), 204)
    assert.deepEqual(statesOf(subscriptions), { '2026-12': 'paid' })
    subscriptions.members[0]!.charges = { '2026-12': { ...charge } }
    assert.equal(await deliver(subscriptions, paid, 'evt_1'), 204)
    assert.deepEqual(statesOf(subscriptions), { '2026-12': 'open' })
    assert.deepEqual(openSubscriptions(file).handledDeliveries, ['evt_1'])
  })

  it('of a removed card deletes its token, and nothing is charged with it', async () => {
    const subscriptions = await subscriptionsOf('8600069195406311')
    const id = subscriptions.members[0]?.token?.slice(0, 24)
    assert.equal(await deliver(subscriptions, { type: 'card.removed', timestamp: 'now', data: { card: { id }, customer: null } }), 204)
    await chargeDue(december5, { client, subscriptions })
    assert.deepEqual([subscriptions.members[0]?.token, statesOf(subscriptions)], [null, {}])
  })

  it('of a failed payment makes the next check earlier', async () => {
    const subscriptions = await subscriptionsOf('8600069195406311')
    subscriptions.members[0]!.charges = { '2026-12': { state: 'open', dueAt: 1e15, attempt: 1, receiptId: 'b', pays: 1, reason: null } }
    await deliver(subscriptions, { type: 'receipt.failed', timestamp: 'now', data: { receipt: { id: 'b' }, customer: null } })
    assert.ok(subscriptions.members[0]!.charges['2026-12']!.dueAt < 1e15)
  })

  it('of an unknown type is acknowledged; one with a wrong signature or too long a body is not', async () => {
    const subscriptions = await subscriptionsOf('8600069195406311')
    assert.equal(await deliver(subscriptions, { type: 'of.a.later.year', timestamp: 'now', data: {} }, 'evt_2'), 204)
    assert.equal(
      await deliver(subscriptions, { type: 'receipt.paid', data: {} }, 'evt_3', `whsec_${Buffer.alloc(32, 6).toString('base64')}`),
      400,
    )
    assert.equal(await deliver(subscriptions, { type: 'receipt.paid', data: 'x'.repeat(70_000) }, 'evt_4'), 400)
    assert.deepEqual(subscriptions.handledDeliveries, ['evt_2'])
  })
})

describe('the script', () => {
  const run = (...args: string[]): Promise<{ stdout: string; stderr: string }> =>
    runProgram(process.execPath, [join(root, 'examples/recurring/recurring.ts'), ...args], {
      env: { TESSERA_URL: started.url, SUBSCRIPTIONS: file },
      timeout: 30_000,
    })

  it('adds a member, charges as of a day, and prints the charges', async () => {
    await run('add', `m${count}`, '990000', '5', await saveCard(started))
    assert.equal((await run('charge', '2026-12-05')).stdout, `m${count}  2026-12  paid\n`)
    assert.equal((await run('charge', '2026-12-06')).stdout, `m${count}  2026-12  paid\n`)
  })

  it('prints its usage for invalid arguments', async () => {
    for (const args of [[], ['add', 'x'], ['charge', 'soon']]) {
      const err = (await run(...args).catch((reason: unknown) => reason)) as { code?: number; stderr: string }
      assert.equal(err.code, 1)
      assert.match(err.stderr, /add|2026-12-01/)
    }
  })
})

/** Subscriptions with one member, of a new name, who pays on the fifth. */
async function subscriptionsOf(pan: string): Promise<Subscriptions> {
  const subscriptions = openSubscriptions(file)
  subscriptions.members.push({ id: `m${count}`, amountTiyin: 990_000, day: 5, token: await saveCard(started, pan), charges: {} })
  subscriptions.save()
  return subscriptions
}

function statesOf({ members: [member] }: Subscriptions): Record<string, string> {
  return Object.fromEntries(Object.entries(member?.charges ?? {}).map(([month, { state }]) => [month, state]))
}

/** The member's receipts in the service. */
async function receiptsOf({ members: [member] }: Subscriptions): Promise<{ state: number }[]> {
  const now = Date.now()
  const receipts = await client.call('receipts.get_all', { count: 50, from: now - day, to: now + day })
  return receipts.filter(({ account }) => account.some(({ value }) => value === member?.id))
}

async function deliver(subscriptions: Subscriptions, event: object, id = 'evt_0', by = secret): Promise<number> {
  const now = new Date()
  const body = JSON.stringify(event)
  const server = createServer(createWebhookHandler({ subscriptions, secrets: [secret], now: () => now.getTime() }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign(id, now, body),
  }
  const { status } = await fetch(`http://127.0.0.1:${address.port}/`, { method: 'POST', headers, body })
  server.close()
  return status
}
