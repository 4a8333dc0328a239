// time limit: 120 s
import assert from 'node:assert/strict'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { startCluster, type Cluster } from '../../../../tools/postgres.ts'
import { makeScratch, runHere, until } from '../../testing/child.fixture.ts'
import { makeHandClock } from '../../testing/clock.fixture.ts'

import {
  freshFolder,
  listFolder,
  makePostgresInstallation,
  makeSqliteInstallation,
  nameIn,
  findStartRefusal,
  runOn,
  startHere,
  type Installation,
} from './boot.fixture.ts'

// A start that does not find what it had is refused, and changes nothing. Each case damages a copy of an installation that was in use; the control is that
// the copy starts, and finds its card, when nothing is damaged.

const scratch = makeScratch()
let cluster: Cluster

before(async () => {
  cluster = await startCluster()
})
after(() => cluster.stop())

describe('the start checks with the embedded store', () => startSuite(async () => makeSqliteInstallation(scratch)))
describe('the start checks with PostgreSQL', () => startSuite(() => makePostgresInstallation(cluster, scratch)))

function startSuite(makeInstallation: () => Promise<Installation>): void {
  let used: Installation
  /** Another installation under the same KEK. */
  let other: Installation
  let token: string

  before(async () => {
    used = await makeInstallation()
    token = await use(used)
    other = await makeInstallation()
    cpSync(join(used.folder, 'development.kek'), join(other.folder, 'development.kek'))
    await use(other)
  })

  test('control: an undamaged copy starts, is ready, and has its card', async () => {
    const copy = await used.copy()
    const service = await startHere(copy.flags)
    assert.equal((await service.readyz()).status, 200)
    assert.equal((await service.call('cards.check', { token })).result?.card.token, token)
    await service.stop()
    await rmMarker(copy)
    await (await startHere(copy.flags)).stop()
    assert.deepEqual((JSON.parse(readFileSync(join(copy.folder, 'store.json'), 'utf8')) as { store: string }).store, used.store)
  })

  test('an empty key store is refused: by the marker of the data folder, and without it by the known answers', async () => {
    const copy = await used.copy()
    await copy.loseKeys()
    await assertRefused(
      copy,
      /^key_store_mismatch: the data folder was used with a key store that has the key [0-9a-f]{32}, and the key store is empty/,
    )
    await rmMarker(copy)
    await assertRefused(copy, /^key_store_mismatch: the database was written with keys that the key store does not have/)
  })

  test('a database without known answers is refused by a sample of its rows, also when only the audit is left', async () => {
    const copy = await used.copy()
    await copy.loseKeys()
    await rmMarker(copy)
    await copy.run('delete from known_answers')
    await assertRefused(copy, /^key_store_mismatch: the key store is empty, and the database has rows .*cards.*merchants.*audit/)
    for (const table of ['cards', 'merchants', 'receipts', 'dashboard_users']) await copy.run(`delete from ${table}`)
    await assertRefused(copy, /^key_store_mismatch: the key store is empty, and the database has rows .*\(sampled: \d+ of audit\)/)
  })

  test('the key store of another service under the same KEK is refused', async () => {
    const copy = await used.copy()
    await copy.takeKeysOf(other)
    await assertRefused(copy, /^key_store_mismatch: the data folder was used with a key store .* does not have it/)
    await rmMarker(copy)
    await assertRefused(copy, /^key_store_mismatch: the database was written with keys/)
    await copy.run('delete from known_answers')
    await assertRefused(copy, /^key_store_mismatch: no sampled row of the database was written with the keys of this key store/)
  })

  test('an older key store that lacks one key is refused by the name of the key', async () => {
    const copy = await used.copy()
    await copy.run("delete from keys where purpose = 'card'", 'keys')
    await assertRefused(copy, /the card key [0-9a-f]{32} of merchant 65f0c0ffee0000000000cafe\. Check/)
    await copy.run("delete from known_answers where purpose = 'card'")
    await assertRefused(copy, /^key_store_mismatch: cards are sealed under the key [0-9a-f]{32}, which the key store does not have/)
  })

  test('a development KEK that vanished is refused, and no other one is created', async () => {
    const copy = await used.copy()
    rmSync(join(copy.folder, 'development.kek'))
    await assertRefused(
      copy,
      /development\.kek does not exist, and the key store has \d+ keys that it wraps \(KEK file-[0-9a-f]{16}\)\. Restore/,
    )
    await copy.loseKeys()
    await assertRefused(copy, /development\.kek does not exist, and the data folder was used with one \(KEK file-/)
  })

  test('a KEK of another service is refused', async () => {
    const copy = await used.copy()
    const foreign = await makeInstallation()
    await use(foreign)
    cpSync(join(foreign.folder, 'development.kek'), join(copy.folder, 'development.kek'))
    await assertRefused(copy, /is wrapped by KEK file-.*and this is KEK file-.*restore it \(the development\.kek/)
  })

  test('an empty database in place of the one that was used is refused', async () => {
    const copy = await used.copy()
    await copy.loseCards()
    await assertRefused(
      copy,
      /was used with a database, and (its tessera\.db is missing|the database that TESSERA_DATABASE_URL names now is empty)/,
    )
    assert.ok(!existsSync(join(copy.folder, 'tessera.db')))
  })

  test('a newer schema is refused, and says which version to start', async () => {
    const copy = await used.copy()
    await copy.run("insert into migrations (number, name, checksum) values (999, 'later', 'x')")
    await copy.run('update migrations set number = (select max(number) + 1 from migrations where number < 999) where number = 999')
    await assertRefused(copy, /newer than this program: it has migration \d+ \(later\), .*Start the version that wrote it, or a newer one/)
  })

  test('one changed row is no other key store: the service starts and refuses the row', async () => {
    const copy = await used.copy()
    await copy.run("update cards set expiry = '0150'")
    const service = await startHere(copy.flags)
    assert.equal((await service.call('cards.check', { token })).error?.reason, 'internal_error')
    await service.stop()
  })

  test('/readyz names a key store that cannot be read, is false once calls fail for it, and both end together', async () => {
    const copy = await used.copy()
    const clock = makeHandClock(Date.now())
    const service = await startHere(copy.flags, clock)
    const keys = await makeKeysUnreadable(copy)
    const state = async (ms: number) => {
      clock.advance(ms)
      return service.readyz()
    }
    assert.equal((await service.readyz()).status, 200, 'control')
    await keys.break()
    // The keys in memory are used for a minute.
    const away = await state(30_000)
    // A checkpoint that falls into this time cannot be signed, and is named too.
    const parts = away.away?.map(({ part }) => part).filter((part) => part !== 'checkpoints')
    assert.deepEqual([away.status, away.state, parts], [200, 'degraded', ['key_store']])
    const { status, ...down } = await state(61_000)
    assert.deepEqual([status, down.state], [503, 'keys_unavailable'])
    // On a slow machine the first reason may be that there was no answer within the second.
    await until(async () => /database/.test((await state(5000)).reason ?? ''), 'the reason names the database')
    assert.ok((await service.call('cards.create', { card: { number: '8600495473316478', expire: '0399' } })).error !== undefined)
    await keys.repair()
    await until(async () => (await state(5000)).status === 200, 'the key store can be read again')
    assert.ok((await service.call('cards.create', { card: { number: '8600495473316478', expire: '0399' } })).result !== undefined)
    await service.stop()
  })

  test('/readyz is false when the database is replaced by one of other keys while the service runs', async () => {
    const copy = await used.copy()
    const clock = makeHandClock(Date.now())
    const service = await startHere(copy.flags, clock)
    assert.equal((await service.readyz()).status, 200, 'control')
    const [answer] = (await copy.run("select key_id from known_answers where purpose = 'row_mac' and owner = ''")) as { key_id: string }[]
    await copy.run(`update known_answers set key_id = '${'f'.repeat(32)}' where key_id = '${answer?.key_id ?? ''}'`)
    clock.advance(5000)
    const { status, state, reason } = await service.readyz()
    assert.deepEqual([status, state], [503, 'key_store_mismatch'])
    assert.match(reason ?? '', /the row_mac key f{32}/)
    await service.stop()
  })

  test('doctor reports every failure of a start at once, and nothing at a running service', async () => {
    const copy = await used.copy()
    await copy.run("insert into migrations (number, name, checksum) values (-5, 'odd', 'x')")
    await copy.loseKeys()
    const { code, out } = await doctor([...copy.flags, '--host=no-such-host.invalid'])
    assert.equal(code, 1)
    const failed = out.filter(({ ok }) => !ok).map(({ check }) => check)
    assert.deepEqual(failed, ['port', ...(used.store === 'sqlite' ? ['schema', 'stored rows'] : ['stored rows'])])
    const running = await used.copy()
    const service = await startHere(running.flags)
    const healthy = await doctor(running.flags)
    await service.stop()
    assert.deepEqual(
      healthy.out.filter(({ ok }) => !ok),
      [],
    )
    assert.equal(healthy.code, 0)
  })
}

test('a data folder that was used with PostgreSQL does not start without it, and makes no embedded database', async () => {
  const used = await makePostgresInstallation(cluster, scratch)
  await use(used)
  const before = listFolder(used.folder)
  const flags = used.flags.filter((flag) => !flag.includes('database-url'))
  const { exit, message } = await findStartRefusal(flags)
  assert.equal(exit, 'invalidSettings')
  assert.match(message, /was used with PostgreSQL, and TESSERA_DATABASE_URL is not set; .*Set TESSERA_DATABASE_URL as it was/)
  assert.deepEqual(listFolder(used.folder), before)
  assert.ok(
    !('tessera.db' in before) && !readFileSync(join(used.folder, 'store.json'), 'utf8').includes('postgres:'),
    'no URL in the marker',
  )
})

test('a data folder with an embedded database does not start on PostgreSQL, and makes no tables there', async () => {
  const used = makeSqliteInstallation(scratch)
  await use(used)
  const empty = await makePostgresInstallation(cluster, scratch)
  const urls = empty.flags.filter((flag) => flag.includes('database-url'))
  assert.match(
    (await findStartRefusal([...used.flags, ...urls])).message,
    /was used with its embedded database, and TESSERA_DATABASE_URL is set/,
  )
  assert.deepEqual(await empty.run("select 1 as one from pg_tables where schemaname = 'public'"), [])
})

test('a damaged embedded database or key store ends with a code that asks for no restart', async () => {
  for (const file of ['tessera.db', 'keys.db']) {
    const used = makeSqliteInstallation(scratch)
    await use(used)
    writeFileSync(join(used.folder, file), 'this is not a database, and never was one')
    const { exit, message } = await findStartRefusal(used.flags)
    assert.equal(exit, 'damaged')
    assert.match(
      message,
      new RegExp(`${file.replace('.', '\\.')} is not a database, or an encrypted one\\. Restarting does not help: keep a copy`),
    )
  }
})

test('an empty environment file and a damaged marker are named with what to write there', async () => {
  const folder = freshFolder(scratch)
  writeFileSync(join(folder, 'environment'), '')
  const flags = ['--port=0', '--admin-port=0', `--data=${folder}`]
  assert.deepEqual((await findStartRefusal(flags)).exit, 'damaged')
  assert.match((await findStartRefusal(flags)).message, /environment is empty; .*Write the one word test or production into it/)
  writeFileSync(join(folder, 'environment'), 'test\n')
  writeFileSync(join(folder, 'store.json'), '{"store":')
  assert.match((await findStartRefusal(flags)).message, /store\.json is damaged; .*delete it when the settings name the right database/)
})

test('API port equal to admin port, and a host that is no address of this machine, are explained', async () => {
  const flags = [`--data=${freshFolder(scratch)}`, '--admin-port=9']
  const equal = await findStartRefusal([...flags, '--port=9'])
  assert.deepEqual([equal.exit, /both 9; .* need a port each\. Change one of them/.test(equal.message)], ['invalidSettings', true])
  const unresolvable = await findStartRefusal([...flags, '--port=0', '--host=no-such-host.invalid'])
  assert.equal(unresolvable.exit, 'invalidSettings')
  assert.match(unresolvable.message, /host name no-such-host\.invalid of TESSERA_HOST cannot be resolved \(\w+\)\. Set TESSERA_HOST to/)
  const foreign = await findStartRefusal([...flags, '--port=0', '--host=192.0.2.1'])
  assert.match(foreign.message, /cannot listen on 192\.0\.2\.1 \(EADDRNOTAVAIL\): set TESSERA_HOST to an address of this machine/)
})

test('a database host that cannot be resolved, and a database that does not exist, are told apart', async () => {
  const { flags, folder } = await makePostgresInstallation(cluster, scratch)
  const without = flags.filter((flag) => !flag.startsWith('--database-url'))
  const host = await findStartRefusal([...without, '--database-url=postgres://u:hunter2@no-such-host.invalid/x'])
  assert.equal(host.exit, 'unavailable')
  assert.match(host.message, /the host name no-such-host\.invalid cannot be resolved \(\w+\)\): check TESSERA_DATABASE_URL/)
  const missing = await findStartRefusal([...without, `--database-url=${cluster.url.replace(/postgres$/, 'no_such_database')}`])
  assert.equal(missing.exit, 'invalidSettings')
  assert.match(missing.message, /does not have this database \(database "no_such_database" does not exist\)\. Correct its name/)
  assert.ok(!host.message.includes('hunter2') && !existsSync(join(folder, 'development.kek')))
})

test('a wrong password of the database is refused at once, by the setting that has it', async () => {
  const { flags } = await makePostgresInstallation(cluster, scratch)
  const hba = join(cluster.folder, 'data', 'pg_hba.conf')
  const rules = readFileSync(hba, 'utf8')
  await runOn(cluster.url, "create role shop login password 'right'")
  writeFileSync(hba, `host all shop 127.0.0.1/32 scram-sha-256\n${rules}`)
  await runOn(cluster.url, 'select pg_reload_conf()')
  const keys = nameIn(flags, '--keys-database-url=')
  const others = flags.filter((flag) => !flag.startsWith('--keys-database-url') && !flag.startsWith('--database-wait'))
  const wrong = `--keys-database-url=postgres://shop:hunter2@127.0.0.1:${cluster.port}/${keys}`
  // Waiting for the database would take ten minutes.
  const { exit, message } = await findStartRefusal([...others, wrong, '--database-wait-seconds=600'])
  assert.equal(exit, 'invalidSettings')
  assert.match(
    message,
    /refuses the login \(password authentication failed for user "shop"\)\. Correct user and password in TESSERA_KEYS_DATABASE_URL/,
  )
  assert.ok(!message.includes('hunter2'))
})

test('a database user without CREATE gets the statements that grant it, and with them the service starts', async () => {
  const { flags } = await makePostgresInstallation(cluster, scratch)
  const database = nameIn(flags, '--database-url=')
  const url = cluster.url.replace(/postgres$/, database)
  await runOn(cluster.url, 'create role clerk login')
  const own = [...flags.filter((flag) => !flag.includes('database-url')), `--database-url=${url.replace('postgres@', 'clerk@')}`]
  const cards = await findStartRefusal(own)
  assert.equal(cards.exit, 'invalidSettings')
  assert.match(cards.message, /the user clerk may not create tables in the schema public\. As an administrator/)
  await runOn(url, 'GRANT USAGE, CREATE ON SCHEMA public TO clerk')
  assert.ok(cards.message.endsWith('GRANT USAGE, CREATE ON SCHEMA public TO clerk;'))
  const keys = await findStartRefusal(own)
  assert.match(keys.message, /may not create the schema tessera_keys of the data keys in the database/)
  assert.ok(keys.message.endsWith('CREATE SCHEMA tessera_keys AUTHORIZATION clerk;'))
  await runOn(url, 'CREATE SCHEMA tessera_keys AUTHORIZATION clerk')
  const service = await startHere(own)
  assert.equal((await service.readyz()).status, 200)
  await service.stop()
})

/** Starts the installation for the first time, creates a card, stops. Returns the token. */
async function use({ flags }: Installation): Promise<string> {
  const service = await startHere(flags)
  const { result } = await service.call('cards.create', { card: { number: '8600495473316478', expire: '0399' }, save: true })
  await service.stop()
  // The answer of the merchant's key is stored within a minute, or by the next start.
  await (await startHere(flags)).stop()
  return result?.card.token ?? assert.fail('no card')
}

/** The start is refused with this message, and leaves the data folder as it was. */
async function assertRefused({ flags, folder }: Installation, message: RegExp): Promise<void> {
  const before = listFolder(folder)
  const refusal = await findStartRefusal(flags)
  assert.equal(refusal.exit, 'invalidSettings', refusal.message)
  assert.match(refusal.message, message)
  assert.deepEqual(Object.keys(listFolder(folder)), Object.keys(before))
  assert.deepEqual(listFolder(folder), before)
}

async function rmMarker({ folder }: Installation): Promise<void> {
  rmSync(join(folder, 'store.json'))
}

async function doctor(flags: readonly string[]) {
  const { code, out } = await runHere(['doctor', '--json', ...flags])
  return { code, out: (JSON.parse(out) as { findings: { check: string; ok: boolean }[] }).findings }
}

/** Makes the key store fail for a running service, as a lost database or a damaged file does. */
async function makeKeysUnreadable({
  store,
  folder,
  flags,
}: Installation): Promise<{ break: () => Promise<void>; repair: () => Promise<void> }> {
  if (store === 'sqlite') {
    const path = join(folder, 'keys.db')
    const content = readFileSync(path)
    return {
      break: async () => writeFileSync(path, Buffer.alloc(content.length, 'x'), { flag: 'r+' }),
      repair: async () => writeFileSync(path, content, { flag: 'r+' }),
    }
  }
  const name = nameIn(flags, '--keys-database-url=')
  const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`
  return {
    break: async () => {
      await runOn(cluster.url, `alter database ${name} allow_connections false`)
      await runOn(cluster.url, end)
    },
    repair: async () => {
      await runOn(cluster.url, `alter database ${name} allow_connections true`)
    },
  }
}
