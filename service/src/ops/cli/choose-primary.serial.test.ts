// time limit: 120 s
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { startCluster, type Cluster } from '../../../../tools/postgres.ts'
import type { SeenPrimary } from '../../store/postgres/fence.ts'
import { makePrimary } from '../../store/postgres/primary.ts'
import { openPostgresStore } from '../../store/postgres/postgres.ts'
import { PrimaryRefused } from '../../store/store.ts'
import { makeScratch, runHere, until } from '../../testing/child.fixture.ts'

import { findStartRefusal, makePostgresInstallation, runOn, startHere, type Installation } from './boot.fixture.ts'

// The row of an old primary is written by hand; fault/two-primaries.ts has two servers.

const scratch = makeScratch()
let cluster: Cluster

before(async () => {
  cluster = await startCluster()
})
after(() => cluster.stop())

test('a primary that is older than the one followed last is refused after every other check, until an operator chooses it', async () => {
  const used = await makePostgresInstallation(cluster, scratch)
  await use(used)
  const address = `127.0.0.1:${cluster.port}`
  const choose = (...options: string[]) => runHere(['store', 'choose-primary', address, '--json', ...options, ...used.flags])
  assert.equal((await choose()).code, 64, 'it has to be confirmed')
  assert.deepEqual((JSON.parse((await choose('--yes')).out) as { chosen: object }).chosen, { host: address, epochs: { cards: 2, keys: 2 } })
  await (await startHere(used.flags)).stop()

  // The row of before the choice, as an old primary has it.
  await used.run('update primary_epoch set epoch = 1')
  const older = await findStartRefusal(used.flags)
  assert.equal(older.exit, 'unavailable')
  assert.match(older.message, /^older_primary: .*epoch 2, timeline 1\): 127\.0\.0\.1:\d+ \(epoch 1, .*tessera store choose-primary/)
  const doctor = JSON.parse((await runHere(['doctor', '--json', ...used.flags])).out) as { findings: { check: string; ok: boolean }[] }
  assert.deepEqual(
    doctor.findings.filter(({ ok }) => !ok).map(({ check }) => check),
    ['primary'],
  )
  const copy = await used.copy()
  await copy.loseCards()
  const empty = await findStartRefusal(copy.flags)
  assert.equal(empty.exit, 'invalidSettings')
  assert.match(empty.message, /was used with a database, and the database that TESSERA_DATABASE_URL names now is empty/)

  writeFileSync(join(used.folder, 'primary-epoch'), 'damaged')
  const damaged = await findStartRefusal(used.flags)
  assert.deepEqual([damaged.exit, /primary-epoch in the data folder.*is damaged/.test(damaged.message)], ['invalidSettings', true])
  // The key store has the record too, so the new epoch is later than it.
  assert.equal((await choose('--yes')).code, 0)
  const service = await startHere(used.flags)
  assert.equal((await service.readyz()).status, 200)
  await service.stop()
  assert.deepEqual(await used.run('select epoch from primary_epoch'), [{ epoch: 3 }])
  assert.equal((await used.run("select 1 from audit where action = 'database.primary_chosen'")).length, 2)
})

test('accepting a restored database on PostgreSQL accepts its earlier epoch too', async () => {
  const used = await makePostgresInstallation(cluster, scratch)
  await use(used)
  await runHere(['store', 'choose-primary', `127.0.0.1:${cluster.port}`, '--yes', ...used.flags])
  await used.run('update primary_epoch set epoch = 1')
  assert.equal((await findStartRefusal(used.flags)).exit, 'unavailable', 'control')
  const accepted = await runHere(['audit', 'accept-restored', '--yes', ...used.flags])
  assert.equal(accepted.code, 0, accepted.err)
  await (await startHere(used.flags)).stop()
  assert.deepEqual(await used.run('select epoch from primary_epoch'), [{ epoch: 3 }])
})

test('a choice for the cards alone changes nothing while the key store is older than the one followed last', async () => {
  const used = await makePostgresInstallation(cluster, scratch)
  await use(used)
  const keysHost = `localhost:${cluster.port}`
  const flags = used.flags.map((flag) => (flag.startsWith('--keys-database-url=') ? flag.replace(/@[^/]*\//, `@${keysHost}/`) : flag))
  const choose = (host: string) => runHere(['store', 'choose-primary', host, '--yes', ...flags])
  assert.equal((await choose(keysHost)).code, 0)
  await used.run('update tessera_keys.primary_epoch set epoch = 1', 'keys')
  const refused = await choose(`127.0.0.1:${cluster.port}`)
  assert.match(refused.err, /older_primary: /)
  assert.deepEqual(await used.run('select epoch from primary_epoch'), [{ epoch: 1 }])

  assert.equal((await choose(keysHost)).code, 0)
  assert.equal((await choose(`127.0.0.1:${cluster.port}`)).code, 0)
  assert.deepEqual(await used.run('select epoch from primary_epoch'), [{ epoch: 2 }])
})

test('behind one address, connections end and none is opened when another process has recorded a newer primary', async () => {
  const url = cluster.url.replace(/postgres$/, 'one_address')
  await runOn(cluster.url, 'create database one_address')
  await (await openPostgresStore({ url })).close(1000)
  let recorded: SeenPrimary | null = null
  const refusals: string[] = []
  const primary = makePrimary({
    hosts: [url],
    allowUnsafe: false,
    record: { read: async () => recorded, save: async () => undefined },
    observer: { onFollowed: () => undefined, onRefused: ({ reason }) => void refusals.push(reason) },
  })
  const session = await primary.connect(() => undefined)
  recorded = { epoch: 2, timeline: 2 }
  await until(() => !session.usable, 'the connection to the older primary to end')
  await assert.rejects(
    primary.connect(() => undefined),
    (err: Error) => err instanceof PrimaryRefused && err.reason === 'older_primary',
  )
  assert.deepEqual(refusals, ['older_primary'])
  primary.close()
})

/** Starts the installation for the first time, and stops it. The second start finds the tables that the first one created, and writes both rows. */
async function use({ flags }: Installation): Promise<void> {
  await (await startHere(flags)).stop()
  await (await startHere(flags)).stop()
}
