// needs: postgres, pgbackrest
// time limit: 300 s
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { findServerUser, startCluster, type Cluster } from '../../../../tools/postgres.ts'
import { makeScratch, runHere, runTessera, startTesseraChild, until, type Started } from '../../testing/child.fixture.ts'

// The drill of docs/operating/backup.md with pgBackRest of Debian: a table is dropped, and the database goes back to the moment before, encrypted archive and all.

const scratch = makeScratch()
// The user of PostgreSQL has to reach what is in it.
chmodSync(scratch, 0o711)
const data = join(scratch, 'data')
const repository = join(scratch, 'pgbackrest')
const conf = join(scratch, 'pgbackrest.conf')
const page = readFileSync(join(import.meta.dirname, '../../../../docs/operating/backup.md'), 'utf8')
const user = findServerUser()
const steps: [string, number][] = []
let cards: Cluster
let keys: Cluster

before(async () => {
  for (const folder of [repository, join(scratch, 'log'), join(scratch, 'spool')]) {
    mkdirSync(folder)
    if (user !== null) chownSync(folder, user.uid, user.gid)
  }
  // Keys apart: another server, with backups of its own, which does not go back with the cards.
  keys = await startCluster()
  cards = await startCluster({
    settings: {
      archive_mode: 'on',
      archive_command: `pgbackrest --config=${conf} --stanza=tessera archive-push %p`,
      wal_level: 'replica',
      // The archive is never further behind than this; the page says the same.
      archive_timeout: '60',
    },
  })
  const [, text] = /```ini\n([^]*?)```/.exec(page) ?? assert.fail('docs/operating/backup.md has no configuration of pgBackRest')
  const replaced: [string, string][] = [
    ['/var/lib/pgbackrest', repository],
    ['<a long random passphrase>', 'drill-passphrase'],
    ['/var/lib/postgresql/15/main', join(cards.folder, 'data')],
  ]
  let config = text ?? ''
  for (const [from, to] of replaced) {
    assert.ok(config.includes(from), from)
    config = config.replace(from, to)
  }
  const here = `log-path=${join(scratch, 'log')}\nspool-path=${join(scratch, 'spool')}\nlock-path=${join(scratch, 'spool')}\n`
  const place = `pg1-port=${String(cards.port)}\npg1-socket-path=${cards.folder}\npg1-user=postgres\n`
  writeFileSync(conf, config.replace('[global]\n', `[global]\n${here}`).replace('[tessera]\n', `[tessera]\n${place}`))
  if (user !== null) chownSync(conf, user.uid, user.gid)
})
after(async () => {
  await cards.stop()
  await keys.stop()
})

test('after a dropped table the database goes back to the moment before, and the service accepts the older head', async () => {
  const flags = [`--database-url=${cards.url}`, `--keys-database-url=${keys.url}`]
  let service = await startTesseraChild(data, flags)
  const first = await create(service)
  await timed('stanza-create and full backup', () => {
    pgbackrest('stanza-create')
    pgbackrest('backup', '--type=full')
  })
  const second = await create(service)

  // What a restore has to reach: the manifest, signed, with the position of the log.
  const manifest = join(scratch, 'manifest')
  await timed('tessera backup (manifest)', async () => assertDone(await runTessera(['backup', manifest, `--data=${data}`, ...flags]).ended))
  const { wal } = JSON.parse(readFileSync(join(manifest, 'manifest.json'), 'utf8')) as { wal: { lsn: string } }
  const lost = await create(service)
  await queryCards('select pg_switch_wal()')
  const segments = join(repository, 'archive')
  await until(() => pgbackrest('info', '--output=json').includes('"max"'), `the archive in ${segments}`)
  // Somebody makes a mistake; the service is stopped when it is noticed.
  await queryCards('drop table receipts')
  await service.stop()
  // Nothing of the repository is in the clear.
  assert.notEqual(spawnSync('grep', ['-rlF', 'CREATE TABLE', repository]).status, 0)
  assert.notEqual(spawnSync('grep', ['-rlF', 'maskedPan', repository]).status, 0)

  await cards.halt()
  rmSync(join(cards.folder, 'data'), { recursive: true })
  await timed('pgbackrest restore', () => {
    mkdirSync(join(cards.folder, 'data'), { mode: 0o700 })
    if (user !== null) chownSync(join(cards.folder, 'data'), user.uid, user.gid)
    pgbackrest('restore', '--type=lsn', `--target=${wal.lsn}`, '--target-action=promote')
  })
  await timed('PostgreSQL replays its log', async () => {
    await cards.start()
    await until(async () => (await queryCards('select pg_is_in_recovery() as recovering'))['recovering'] === false, 'the end of recovery')
  })

  const refused = await runTessera(['start', '--json', '--port=0', '--admin-port=0', `--data=${data}`, ...flags]).ended
  assert.deepEqual([refused.code, /database_restored/.test(refused.out)], [78, true], refused.out + refused.err)
  await timed('tessera restore', async () => {
    const planned = await runHere(['restore', manifest, `--data=${data}`, ...flags])
    assert.match(planned.err, /To go on, add --yes/)
    assertDone(await runHere(['restore', manifest, '--yes', `--data=${data}`, ...flags]))
  })
  await timed('start until ready', async () => {
    service = await startTesseraChild(data, flags)
  })
  for (const token of [first, second])
    assert.equal((await service.call('cards.check', { token }, true)).reply.result?.card.token, token, 'a card from before the manifest')
  assert.equal((await service.call('cards.check', { token: lost }, true)).reply.error?.reason, 'card_not_found')
  assertDone(await service.ask('audit', 'verify', '--from', join(data, 'audit-checkpoints.jsonl')))
  // The next backup begins on the new timeline, and the archive goes on.
  await create(service)
  pgbackrest('backup', '--type=full')
  await service.stop()
  const total = steps.reduce((sum, [, seconds]) => sum + seconds, 0)
  for (const [name, seconds] of [...steps, ['all steps', total] as const]) process.stdout.write(`# ${name}: ${seconds.toFixed(1)} s\n`)
})

test('a restore that does not reach the manifest is refused, and says which position it has to reach', async () => {
  const flags = [`--database-url=${cards.url}`, `--keys-database-url=${keys.url}`]
  const service = await startTesseraChild(data, flags)
  await create(service)
  const manifest = join(scratch, 'later')
  assertDone(await runTessera(['backup', manifest, `--data=${data}`, ...flags]).ended)
  await service.stop()
  await cards.halt()
  rmSync(join(cards.folder, 'data'), { recursive: true })
  mkdirSync(join(cards.folder, 'data'), { mode: 0o700 })
  if (user !== null) chownSync(join(cards.folder, 'data'), user.uid, user.gid)
  pgbackrest('restore', '--type=immediate', '--target-action=promote')
  await cards.start()
  await until(async () => (await queryCards('select pg_is_in_recovery() as recovering'))['recovering'] === false, 'the end of recovery')
  const ended = await runHere(['restore', manifest, '--yes', `--data=${data}`, ...flags])
  assert.equal(ended.code, 65, ended.err)
  assert.match(ended.err, /restore it up to [0-9A-F]+\/[0-9A-F]+ of the log at least/)
})

async function create(service: Started): Promise<string> {
  const { reply } = await service.call('cards.create', { card: { number: '8600495473316478', expire: '0399' }, save: true })
  return reply.result?.card.token ?? assert.fail(JSON.stringify(reply))
}

async function queryCards(text: string): Promise<Record<string, unknown>> {
  const client = new pg.Client({ connectionString: cards.url })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(text)
    return rows[0] ?? {}
  } finally {
    await client.end()
  }
}

function pgbackrest(command: string, ...options: string[]): string {
  const run = spawnSync('pgbackrest', [`--config=${conf}`, '--stanza=tessera', ...options, command], {
    cwd: scratch,
    encoding: 'utf8',
    ...user,
  })
  assert.equal(run.status, 0, `pgbackrest ${command}: ${run.stdout}${run.stderr}`)
  return run.stdout
}

async function timed(name: string, run: () => unknown): Promise<void> {
  const startedAt = performance.now()
  await run()
  steps.push([name, (performance.now() - startedAt) / 1000])
}

function assertDone({ code, out, err }: { readonly code: number | null; readonly out: string; readonly err: string }): void {
  assert.equal(code, 0, out + err)
}
