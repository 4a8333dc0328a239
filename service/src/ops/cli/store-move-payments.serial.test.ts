// time limit: 300 s
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { startCluster, type Cluster } from '../../../../tools/postgres.ts'
import { sandbox } from '../../adapters/sandbox/sandbox.ts'
import { makeScratch, runTessera, startTesseraChild, until, type Started } from '../../testing/child.fixture.ts'
import { startCustodied } from '../../testing/custodians.fixture.ts'

import { runOn } from './boot.fixture.ts'

const scratch = makeScratch()
const payersMax = 12
let cluster: Cluster
let databases = 0

before(async () => {
  cluster = await startCluster()
})
after(() => cluster.stop())

interface MoveTargetUrls {
  readonly cards: string
  readonly env: NodeJS.ProcessEnv
}

async function makeTarget(): Promise<MoveTargetUrls> {
  const number = String(databases++)
  const [cards, keys] = ['paid_cards', 'paid_keys'].map((name) => cluster.url.replace(/postgres$/, `${name}_${number}`))
  for (const name of ['paid_cards', 'paid_keys']) await runOn(cluster.url, `create database ${name}_${number}`)
  return { cards: cards ?? '', env: { TESSERA_DATABASE_URL: cards, TESSERA_KEYS_DATABASE_URL: keys } }
}

/** A payment as its caller knows it. */
interface CalledPayment {
  readonly receiptId: string
  readonly token: string
  /** Null until there is a reply. */
  paid: boolean | null
}

/** Payers that each pay one receipt after the other with a card of their own; a call that gets no result is made again after the move. */
function startPayers(first: Started, tokens: readonly string[]) {
  let [service, isOver] = [first, false]
  const payments: CalledPayment[] = []
  const run = async (token: string): Promise<void> => {
    while (!isOver) {
      const receiptId = await createReceipt(service).catch(() => null)
      if (receiptId === null) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        continue
      }
      const payment: CalledPayment = { receiptId, token, paid: null }
      payments.push(payment)
      const reply = await service.call('receipts.pay', { id: receiptId, token }, true).then(
        ({ reply: { result } }) => result !== undefined,
        () => false,
      )
      payment.paid = reply
      if (!reply) await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const runs = tokens.map(run)
  return {
    payments,
    follow: (next: Started) => void (service = next),
    async stop(): Promise<void> {
      isOver = true
      await Promise.all(runs)
    },
  }
}

async function createReceipt(service: Started): Promise<string | null> {
  const { result } = (await service.call('receipts.create', { amount: 500_000, account: { order_id: '197' } }, true)).reply as unknown as {
    result?: { receipt: { _id: string } }
  }
  return result?.receipt._id ?? null
}

async function makeVerifiedCard(service: Started): Promise<string> {
  const { reply } = await service.call('cards.create', { card: { number: '8600069195406311', expire: '0399' }, save: true })
  const token = reply.result?.card.token ?? assert.fail('no card')
  await service.call('cards.get_verify_code', { token })
  const verified = await service.call('cards.verify', { token, code: '666666' })
  assert.equal(verified.reply.result?.card.verify, true)
  return token
}

async function stateOf(service: Started, receiptId: string): Promise<number | undefined> {
  return ((await service.call('receipts.check', { id: receiptId }, true)).reply as unknown as { result?: { state: number } }).result?.state
}

const receiptPaid = 4

/** Paid, or cancelled: the network's late approval was reversed. */
function isFinal(state: number): boolean {
  return state === receiptPaid || state === 50
}

/** How often the simulated network debited each receipt and did not return it, by its own ledger. */
async function readDebits(url: string): Promise<Map<string, number>> {
  const rows = (await runOn(
    url,
    `select o.receipt_id as id, sum(case l.kind when 'authorise' then 1 when 'reverse' then -1 else 0 end)::int as debits
     from sandbox_ledger l join operations o on o.request_id = l.request_id where l.outcome = 'approved' group by o.receipt_id`,
  )) as { readonly id: string; readonly debits: number }[]
  return new Map(rows.map(({ id, debits }) => [id, debits]))
}

test('payments are under way while a service with two workers is moved: none debits twice, every acknowledged one is found, and the others end', async (t) => {
  const target = await makeTarget()
  const folder = join(scratch, 'payments')
  const first = await startTesseraChild(folder, ['--workers=2'])
  const tokens = await Promise.all(Array.from({ length: payersMax }, () => makeVerifiedCard(first)))
  const step = await first.ask('sandbox', 'step', 'receipts.pay', 'late_1')
  assert.equal(step.code, 0, step.err)
  const payers = startPayers(first, tokens)
  t.after(payers.stop)
  await until(() => payers.payments.filter(({ paid }) => paid === true).length >= payersMax, 'some payments')
  const starting = startTesseraChild(folder, ['--workers=2', '--after-move'], target.env)
  const moved = await runTessera(['store', 'move', '--json', `--data=${folder}`], target.env).ended
  assert.equal(moved.code, 0, moved.out + moved.err)
  assert.equal((await first.ended).code, 0)
  const before = [...payers.payments]
  const second = await starting
  assert.match(second.err(), /"event":"start_waits"/)
  payers.follow(second)
  const paidThen = payers.payments.filter(({ paid }) => paid === true).length
  await until(() => payers.payments.filter(({ paid }) => paid === true).length >= paidThen + payersMax, 'payments on PostgreSQL')
  await payers.stop()

  const unanswered = before.filter(({ paid }) => paid !== true)
  t.diagnostic(`${String(payers.payments.length)} payments, ${String(unanswered.length)} without a result during the move`)
  assert.ok(unanswered.length > 0, 'no payment was under way during the move')
  const states = new Map<string, number>()
  for (const { receiptId, token } of payers.payments)
    await until(async () => {
      const state = (await stateOf(second, receiptId)) ?? -1
      states.set(receiptId, state)
      // The network was not asked: the caller pays again.
      if (state === 0) await second.call('receipts.pay', { id: receiptId, token }, true)
      return isFinal(state)
    }, `the receipt ${receiptId} to be paid or cancelled`)
  const acknowledged = payers.payments.filter(({ paid }) => paid === true)
  assert.deepEqual(
    acknowledged.filter(({ receiptId }) => states.get(receiptId) !== receiptPaid),
    [],
  )
  const kept = await readDebits(target.cards)
  const expected = payers.payments.map(({ receiptId }) => [receiptId, states.get(receiptId) === receiptPaid ? 1 : 0] as const)
  assert.deepEqual(
    expected.filter(([receiptId, debits]) => kept.get(receiptId) !== debits),
    [],
  )
  const checked = await second.ask('store', 'check')
  assert.equal(checked.code, 0, checked.out + checked.err)
  assert.equal((await second.stop()).code, 0)
})

test('a start that waits for the end of a move is refused on PostgreSQL when the service ends without one, and ends by a signal before that', async () => {
  const target = await makeTarget()
  const folder = join(scratch, 'waits')
  const first = await startTesseraChild(folder)
  const begin = () => runTessera(['start', '--json', '--port=0', '--admin-port=0', '--after-move', `--data=${folder}`], target.env)
  const stopped = begin()
  await until(() => stopped.err().includes('start_waits'), 'the start to wait')
  stopped.kill('SIGTERM')
  assert.match((await stopped.ended).out, /stopped by SIGTERM before it was ready/)
  const late = begin()
  await until(() => late.err().includes('start_waits'), 'the start to wait')
  assert.equal((await first.call('cards.create', { card: { number: '8600069195406311', expire: '0399' } })).status, 200)
  assert.equal((await first.stop()).code, 0)
  const ended = await late.ended
  assert.notEqual(ended.code, 0)
  assert.match(ended.out + ended.err, /was used with its embedded database/)
})

test('a service whose KEK is in shares of custodians is moved; the start on PostgreSQL is sealed until they come, and then has its cards', async () => {
  const target = await makeTarget()
  const folder = join(scratch, 'shares')
  const first = await startCustodied(folder, ['--kek=shares'])
  await first.untilState('sealed')
  const { shares } = await first.makeShares({ shares: 3, threshold: 2 })
  await first.enter(...shares.slice(0, 2))
  await first.untilState('ready')
  const created = await callAt(first.url, 'cards.create', { card: { number: '8600069195406311', expire: '0399' }, save: true })
  const token = created.result?.card.token ?? assert.fail('no card')
  const moved = await runTessera(['store', 'move', '--json', '--kek=shares', `--data=${folder}`], target.env).ended
  assert.equal(moved.code, 0, moved.out + moved.err)
  assert.equal((await first.ended).code, 0)

  const second = await startCustodied(folder, ['--kek=shares'], target.env)
  await second.untilState('sealed')
  await second.enter(...shares.slice(1))
  await second.untilState('ready')
  assert.equal((await callAt(second.url, 'cards.check', { token })).result?.card.token, token)
  second.kill('SIGTERM')
  assert.equal((await second.ended).code, 0)
})

async function callAt(url: string, method: string, params: object): Promise<{ result?: { card: { token: string } } }> {
  const headers = { 'x-auth': `${sandbox.demo.merchantId}:${sandbox.demo.password}` }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return (await fetch(`${url}/api/${method}`, { method: 'POST', headers, body })).json() as never
}
