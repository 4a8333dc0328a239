// time limit: 180 s
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { startCluster, type Cluster } from '../../../../tools/postgres.ts'

import { makeScratch, runTessera, startTesseraChild, until, type Started } from '../../testing/child.fixture.ts'
import { damageIndexes, runOn } from './boot.fixture.ts'

const scratch = makeScratch()
let cluster: Cluster

before(async () => {
  cluster = await startCluster({ settings: { autovacuum: 'off' } })
})
after(() => cluster.stop())

test('damaged files of PostgreSQL raise the alarm while the service runs, end a start with 65, and a check without findings ends the alarm', async () => {
  const folder = join(scratch, 'damaged')
  const env = { TESSERA_DATABASE_URL: cluster.url }
  const service = await startTesseraChild(folder, [], env)
  const { reply } = await service.call('cards.create', { card: { number: '8600495473316478', expire: '0399' } })
  const token = reply.result?.card.token ?? assert.fail(JSON.stringify(reply))
  await damageIndexes(cluster)
  await until(async () => {
    await service.call('cards.check', { token }, true)
    return (await readiness(service)).state === 'store_damaged'
  }, 'the alarm')
  const check = await service.call('cards.check', { token }, true)
  assert.deepEqual([check.status, check.reply.error?.reason], [503, 'store_unavailable'])
  const { status, reason } = await readiness(service)
  assert.equal(status, 503)
  assert.match(reason ?? '', /^PostgreSQL found its files damaged \(.*index/)
  assert.match(await metrics(service), /^tessera_store_damaged 1$/m)
  assert.match(service.err(), /"event":"store_damaged"/)

  await runOn(cluster.url, 'reindex table cards')
  const checked = await service.ask('store', 'check')
  assert.equal(checked.code, 0, checked.out + checked.err)
  assert.match(checked.out, /by counts alone: .*CREATE EXTENSION amcheck/)
  assert.equal((await readiness(service)).status, 200)
  assert.match(await metrics(service), /^tessera_store_damaged 0$/m)
  assert.equal((await service.call('cards.check', { token }, true)).status, 200)
  assert.equal((await service.stop()).code, 0)

  await damageIndexes(cluster)
  const { code, err } = await runTessera(['start', '--port=0', '--admin-port=0', `--data=${folder}`], env).ended
  assert.equal(code, 65, err)
  assert.match(err, /tessera: PostgreSQL found its files damaged \(.*index.*\)\.\n {2}Restore it from a backup, or use a replica\./)
})

async function readiness({ facts }: Started): Promise<{ status: number; state: string; reason?: string }> {
  const response = await fetch(`${facts.adminUrl}/readyz`)
  return { status: response.status, ...((await response.json()) as { state: string; reason?: string }) }
}

async function metrics({ facts }: Started): Promise<string> {
  return (await fetch(`${facts.adminUrl}/metrics`)).text()
}
