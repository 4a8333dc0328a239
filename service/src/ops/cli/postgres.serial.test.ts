import assert from 'node:assert/strict'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { findFreePort } from '../../../../tools/free-port.ts'
import { startCluster } from '../../../../tools/postgres.ts'
import type { Cluster } from '../../../../tools/postgres.ts'

import { makeScratch, runTessera, startTesseraChild, until } from '../../testing/child.fixture.ts'
import type { Started } from '../../testing/child.fixture.ts'

const scratch = makeScratch()
const card = { number: '8600495473316478', expire: '0399' }
let cluster: Cluster

before(async () => {
  cluster = await startCluster()
})
after(() => cluster.stop())

async function readiness({ facts }: Started): Promise<{ status: number; state: string }> {
  const response = await fetch(`${facts.adminUrl}/readyz`)
  return { status: response.status, ...((await response.json()) as { state: string }) }
}

test('during an outage of PostgreSQL calls get Retry-After and readiness fails; afterwards the service works again and nothing is lost', async () => {
  const service = await startTesseraChild(join(scratch, 'outage'), [], { TESSERA_DATABASE_URL: cluster.url })
  const token = (await service.call('cards.create', { card })).reply.result?.card.token
  await cluster.crash()
  await until(async () => (await readiness(service)).state === 'store_unavailable', 'readiness to fall')
  assert.equal((await readiness(service)).status, 503)
  const { status, reply, headers } = await service.call('cards.create', { card })
  assert.deepEqual([status, reply.error?.code], [503, -32400])
  assert.match(reply.error?.reason ?? '', /^(store_unavailable|outcome_unknown)$/)
  assert.ok(headers.has('retry-after'))
  assert.equal((await fetch(`${service.facts.adminUrl}/healthz`)).status, 200, 'a restart would not help')
  // Right after a crash its backends may still hold the shared memory.
  await until(
    () =>
      cluster.start().then(
        () => true,
        () => false,
      ),
    'PostgreSQL to start again',
  )
  await until(async () => (await readiness(service)).status === 200, 'readiness to come back')
  assert.equal((await service.call('cards.check', { token }, true)).reply.result?.card.token, token)
  assert.equal((await service.call('cards.create', { card })).status, 200)
  assert.equal((await service.ask('doctor', `--database-url=${cluster.url}`)).code, 0)
  assert.equal((await service.stop()).code, 0)
})

test('a start that waits for its database is alive, not ready, and can be stopped', async () => {
  const adminPort = await findFreePort()
  const args = [
    'start',
    '--port=0',
    `--admin-port=${String(adminPort)}`,
    '--database-wait-seconds=60',
    `--data=${join(scratch, 'waiting')}`,
  ]
  const child = runTessera(args, { TESSERA_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x' })
  await until(() => child.err().includes('database_unreachable'), 'the first attempt')
  const ready = await fetch(`http://127.0.0.1:${String(adminPort)}/readyz`)
  assert.deepEqual([ready.status, await ready.json()], [503, { ready: false, state: 'starting' }])
  assert.equal((await fetch(`http://127.0.0.1:${String(adminPort)}/healthz`)).status, 200)
  child.kill('SIGTERM')
  const { code, err } = await child.ended
  assert.equal(code, 0)
  assert.match(err, /stopped by SIGTERM before it was ready/)
})

test('services on one database must share the KEK: with another the second is refused, with the same both serve each token', async () => {
  const env = { TESSERA_DATABASE_URL: cluster.url }
  const first = await startTesseraChild(join(scratch, 'outage'), [], env)
  const token = (await first.call('cards.create', { card })).reply.result?.card.token
  const folder = join(scratch, 'second')
  const foreign = await runTessera(['start', '--port=0', '--admin-port=0', `--data=${folder}`], env).ended
  assert.equal(foreign.code, 78)
  assert.match(foreign.err, /development\.kek does not exist, and the key store has \d+ keys that it wraps/)
  assert.match(foreign.err, /copy it from another service on the same database/)
  assert.ok(!existsSync(join(folder, 'development.kek')), 'no other KEK is created')
  copyFileSync(join(first.folder, 'development.kek'), join(folder, 'development.kek'))
  const second = await startTesseraChild(folder, [], env)
  assert.equal((await second.call('cards.check', { token }, true)).reply.result?.card.token, token)
  assert.deepEqual([(await second.stop()).code, (await first.stop()).code], [0, 0])
})

test('doctor reports that a database does not respond, without its password', async () => {
  const { code, out } = await runTessera(['doctor', '--database-url=postgres://u:hunter2@127.0.0.1:1/x', `--data=${join(scratch, 'none')}`])
    .ended
  assert.equal(code, 1)
  assert.match(out, /^FIX +database +the database does not respond \(no primary among 1 host/m)
  assert.ok(!out.includes('hunter2'))
})
