// time limit: 240 s
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'

import { startCluster, type Cluster } from '../../../../tools/postgres.ts'
import { sandbox } from '../../adapters/sandbox/sandbox.ts'
import { makeScratch, until } from '../../testing/child.fixture.ts'
import { startCustodied, type CustodiedService } from '../../testing/custodians.fixture.ts'

// Two processes on one PostgreSQL whose KEK custodians hold: unsealing both, new custodians under load, and a process that is killed in between.

const scratch = makeScratch()
let cluster: Cluster
let sets: { setId: string; shares: string[] }[] = []

before(async () => {
  cluster = await startCluster()
})
after(() => cluster.stop())

test('each node is unsealed by its custodians, new ones take over under load without a failed call, and a kill in the middle is completed', async (t) => {
  const [one, two] = await Promise.all([startNode('one'), startNode('two')])
  await Promise.all([one.untilState('sealed'), two.untilState('sealed')])
  sets = [await one.makeShares({ shares: 3, threshold: 2 })]
  await one.enter(...sharesOf(0).slice(0, 2))
  await one.untilState('ready')
  const token = await createCard(one)
  assert.equal((await two.readiness()).ready, false)
  await two.enter(...sharesOf(0).slice(1))
  await two.untilState('ready')
  await checkCard(two, token)

  const rotated = await two.operator('operator.keys.rotate', { purpose: 'card', owner: sandbox.demo.merchantId })
  assert.equal(rotated.result?.epoch, 2, rotated.message)
  await checkCard(one, await createCard(two))
  await checkCard(two, token)

  // New custodians, another k and n.
  sets.push(await one.makeShares({ shares: 4, threshold: 3 }, true))
  await one.enter(...sharesOf(1).slice(0, 3))
  assert.equal((await one.operator('operator.keys.rewrap', {})).reason, 'rewrap_not_everywhere')
  await two.enter(...sharesOf(1).slice(1))
  // Who made the new set alone has not replaced the custodians of the old one.
  assert.equal((await one.operator('operator.keys.rewrap', {})).reason, 'rewrap_not_agreed')
  await one.agree(...sharesOf(0).slice(0, 2))
  const tokens = await createWhile([one, two], async () => {
    const { result, message } = await one.operator('operator.keys.rewrap', {})
    assert.equal(result?.kekId, `shares-${setOf(1)}`, message)
  })
  t.diagnostic(`${String(tokens.length)} cards were created meanwhile`)
  assert.equal((await one.operator('operator.keys.rewrap', {})).result?.left, 0)
  const [kek] = (await one.operator('operator.keys.list', {})).result?.keks ?? []
  assert.deepEqual([kek?.kekId, kek?.kind, kek?.shares], [`shares-${setOf(1)}`, 'shares', '3 of 4'])
  for (const each of tokens) await checkCard(two, each)
  for (const node of [one, two]) assert.deepEqual((await node.operator('operator.keys.verify', {})).result?.findings, [])
  assert.equal((await two.operator('operator.shares.enter', { share: sharesOf(0)[0] ?? '', custodian: 'a' })).reason, 'set_open')

  // Killed in the middle: the rewrap waits for a key whose row is locked.
  sets.push(await one.makeShares({ shares: 3, threshold: 2 }, true))
  for (const node of [one, two]) await node.enter(...sharesOf(2).slice(0, 2))
  await one.agree(...sharesOf(1).slice(0, 3))
  const lock = await lockFifthKey()
  const cut = one.operator('operator.keys.rewrap', {}).catch(() => 'cut')
  await until(async () => (await kekIds()).has(`shares-${setOf(2)}`), 'the first key under the new KEK')
  one.kill('SIGKILL')
  assert.equal((await one.ended).signal, 'SIGKILL')
  await cut
  await lock.release()
  assert.deepEqual([...(await kekIds())].sort(), [`shares-${setOf(1)}`, `shares-${setOf(2)}`].sort())
  await checkCard(two, token)
  const between = await createCard(two)

  const again = await startNode('one')
  await again.untilState('sealed')
  const reason = (await again.readiness()).reason ?? ''
  for (const setId of [setOf(1), setOf(2)]) assert.match(reason, new RegExp(`0 of . shares of the set ${setId} are entered`))
  assert.equal((await again.operator('operator.shares.enter', { share: sharesOf(1)[3] ?? '', custodian: 'a' })).result?.received, 1)
  await again.enter(...sharesOf(1).slice(0, 2), ...sharesOf(2).slice(1))
  await again.untilState('ready')
  for (const each of [token, between]) await checkCard(again, each)
  assert.equal((await again.operator('operator.keys.rewrap', {})).result?.left, 0)
  assert.deepEqual([...(await kekIds())], [`shares-${setOf(2)}`])
  assert.deepEqual((await two.operator('operator.keys.verify', {})).result?.findings, [])
  for (const node of [again, two]) {
    node.kill('SIGTERM')
    assert.equal((await node.ended).code, 0, node.err())
  }

  const last = await startNode('two')
  await last.untilState('sealed')
  assert.equal((await last.readiness()).reason, `0 of 2 shares of the set ${setOf(2)} are entered`)
  await last.enter(...sharesOf(2).slice(0, 2))
  await last.untilState('ready')
  for (const each of [token, between, ...tokens.slice(0, 3)]) await checkCard(last, each)
  const retired = await last.operator('operator.shares.enter', { share: sharesOf(0)[0] ?? '', custodian: 'a' })
  assert.equal(retired.reason, 'share_of_retired_set')

  // A node that waits while its connections are cut and the others re-key: it asks for the new set.
  const waiting = await startNode('one')
  await waiting.untilState('sealed')
  await cutConnections()
  // A call that uses a connection at the moment of the cut fails, and nothing is counted.
  await until(
    async () => (await waiting.operator('operator.shares.enter', { share: sharesOf(2)[0] ?? '', custodian: 'a' })).result?.received === 1,
    'the first share to be taken',
  )
  sets.push(await last.makeShares({ shares: 2, threshold: 2 }, true))
  await last.enter(...sharesOf(3))
  await last.agree(...sharesOf(2).slice(0, 2))
  await until(async () => (await last.operator('operator.keys.rewrap', {})).result?.left === 0, 'the keys under the newest KEK')
  await until(
    async () => (await waiting.readiness()).reason === `0 of 2 shares of the set ${setOf(3)} are entered`,
    'the newest set in the reason',
  )
  assert.equal(
    (await waiting.operator('operator.shares.enter', { share: sharesOf(2)[1] ?? '', custodian: 'b' })).reason,
    'share_not_needed',
  )
  await waiting.enter(...sharesOf(3))
  await waiting.untilState('ready')
  await checkCard(waiting, token)
  for (const node of [last, waiting]) {
    node.kill('SIGTERM')
    assert.equal((await node.ended).code, 0, node.err())
  }
})

/** As a failover or an idle timeout does. */
async function cutConnections(): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.url })
  await client.connect()
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'",
  )
  await client.end()
}

function startNode(name: string): Promise<CustodiedService> {
  return startCustodied(join(scratch, name), ['--kek=shares'], { TESSERA_DATABASE_URL: cluster.url })
}

function setOf(index: number): string {
  return sets[index]?.setId ?? assert.fail('no such set')
}

function sharesOf(index: number): string[] {
  return sets[index]?.shares ?? assert.fail('no such set')
}

async function createCard(node: CustodiedService): Promise<string> {
  const reply = await call(
    node,
    'cards.create',
    { card: { number: '8600069195406311', expire: '0399' }, save: true },
    sandbox.demo.merchantId,
  )
  return reply.result?.card.token ?? assert.fail(JSON.stringify(reply.error))
}

async function checkCard(node: CustodiedService, token: string): Promise<void> {
  const { merchantId, password } = sandbox.demo
  const reply = await call(node, 'cards.check', { token }, `${merchantId}:${password}`)
  assert.equal(reply.result?.card.token, token, JSON.stringify(reply.error))
}

interface CardReply {
  readonly result?: { readonly card: { readonly token: string } }
  readonly error?: unknown
}

async function call({ url }: CustodiedService, method: string, params: object, xAuth: string): Promise<CardReply> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return (await (await fetch(`${url}/api/${method}`, { method: 'POST', headers: { 'x-auth': xAuth }, body })).json()) as CardReply
}

/** Creates cards on all nodes, four at a time each, while something runs; every call has to succeed. */
async function createWhile(nodes: readonly CustodiedService[], run: () => Promise<void>): Promise<string[]> {
  const tokens: string[] = []
  const progress = { isDone: false }
  const create = async (node: CustodiedService): Promise<void> => {
    do tokens.push(await createCard(node))
    while (!progress.isDone)
  }
  const creating = nodes.flatMap((node) => Array.from({ length: 4 }, () => create(node)))
  await run().finally(() => (progress.isDone = true))
  await Promise.all(creating)
  return tokens
}

const keysSchema = 'tessera_keys'

async function kekIds(): Promise<Set<string>> {
  const client = new pg.Client({ connectionString: cluster.url })
  await client.connect()
  try {
    const { rows } = await client.query<{ kek_id: string }>(`select distinct kek_id from ${keysSchema}.keys where state <> 'destroyed'`)
    return new Set(rows.map(({ kek_id: kekId }) => kekId))
  } finally {
    await client.end()
  }
}

/** Locks the fifth key that a rewrap reaches. PostgreSQL still changes that one when the process that waits for it is gone. */
async function lockFifthKey(): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: cluster.url })
  await client.connect()
  await client.query('begin')
  await client.query(
    `select * from ${keysSchema}.keys where key_id = (select key_id from ${keysSchema}.keys where state <> 'destroyed' order by purpose, owner, epoch offset 4 limit 1) for update`,
  )
  return {
    async release() {
      await client.query('rollback')
      await client.end()
    },
  }
}
