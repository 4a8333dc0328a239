// needs: strace
// time limit: 300 s
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { generateIdentity, identityToRecipient } from 'age-encryption'

import { findOnPath } from '../../../../tools/find-program.ts'
import { decryptFile, parseIdentities } from '../backup/encryption.ts'
import { makeScratch, runHere, runTessera, startTesseraChild, until, type Ended } from '../../testing/child.fixture.ts'

// The drill of docs/operating/backup.md on the embedded store; fault/restore makes it under load, and on PostgreSQL.

const card = { number: '8600495473316478', expire: '0399' }
const page = readFileSync(fileURLToPath(new URL('../../../../docs/operating/backup.md', import.meta.url)), 'utf8')

/** Runs a command of the page, whose words in angle brackets are replaced. */
function drill(step: string, values: Readonly<Record<string, string>>): Promise<Ended> {
  assert.ok(page.includes(`\ntessera ${step}`), `docs/operating/backup.md has no step: tessera ${step}`)
  const { data = '' } = values
  const args = [...step.split(' ').map((word) => values[word] ?? word), `--data=${data}`]
  // A backup lowers the priority of its process.
  return !step.startsWith('restore') ? runTessera(args).ended : runHere(args)
}

test('the drill: a backup made while the service runs is restored on another machine, and in place', async () => {
  const scratch = makeScratch()
  const [data, copy, keys] = [join(scratch, 'data'), join(scratch, 'copy'), join(scratch, 'apart', 'keys.db')]
  mkdirSync(join(scratch, 'apart'))
  const values = { data, '/backup/tessera-1': copy, '/apart/keys-1.db': keys }
  const service = await startTesseraChild(data, ['--audit-checkpoint-entries=1'])
  const first = await create(service)
  await until(() => existsSync(join(data, 'requests.db')), 'the request log')
  const made = await drill('backup /backup/tessera-1', values)
  assert.equal(made.code, 0, made.err)
  assert.match(made.out, /integrity, schema, \d+ known answers, [1-9]\d* sampled rows and the newest [1-9]\d* audit entries verified/)
  assert.match(made.out, /The backup has no keys\..*the key store: tessera keys backup <file>.*the KEK: .*development\.kek/s)
  assert.deepEqual(readdirSync(copy).sort(), ['manifest.json', 'requests.db', 'tessera.db'])
  assert.equal((await drill('keys backup /apart/keys-1.db', values)).code, 0)
  const second = await create(service)
  const entries = (await service.ask('audit', 'list')).out
  assert.match(entries, /operator .*database\.backed_up .*destination: — → copy.*user: — → \S+.*embedded: — → [1-9]\d*/)
  assert.match(entries, /operator .*keys\.backed_up .*destination: — → keys\.db/)
  await service.stop()

  // Another machine has the backup, and from other places the keys.
  const other = join(scratch, 'other')
  mkdirSync(other, { mode: 0o700 })
  cpSync(keys, join(other, 'keys.db'))
  cpSync(join(data, 'development.kek'), join(other, 'development.kek'))
  const elsewhere = await drill('restore /backup/tessera-1 --yes', { ...values, data: other })
  assert.equal(elsewhere.code, 0, elsewhere.err)
  assert.equal(statSync(join(other, 'requests.db')).mode & 0o777, 0o600)
  await assertCards(other, { present: first, absent: second, starts: 1 })

  // In place: what lies behind the backup is listed before anything is done.
  const planned = await drill('restore /backup/tessera-1', values)
  assert.equal(planned.code, 64)
  assert.match(planned.err, /Backup of .*embedded +[1-9]\d* +\d+ +\d+ +20\d\d-.*To go on, add --yes/s)
  assert.ok(!readdirSync(data).some((name) => name.startsWith('replaced-')))
  const restored = await drill('restore /backup/tessera-1 --yes', values)
  assert.equal(restored.code, 0, restored.err)
  const [former = ''] = readdirSync(data).filter((name) => name.startsWith('replaced-'))
  assert.ok(existsSync(join(data, former, 'tessera.db')))
  // Also the second start expects what the operator accepted.
  await assertCards(data, { present: first, absent: second, starts: 2 })
})

test('a backup that is not whole is refused, and nothing of it is put in place', async () => {
  const scratch = makeScratch()
  const [data, copy] = [join(scratch, 'data'), join(scratch, 'copy')]
  const service = await startTesseraChild(data)
  await create(service)
  assert.equal((await service.ask('backup', join(data, 'inside'))).code, 64, 'on the disk that it protects')
  assert.equal((await runTessera(['backup', copy, `--data=${data}`]).ended).code, 0)
  assert.equal((await runTessera(['backup', copy, `--data=${data}`]).ended).code, 64, 'into a backup')
  const together = await runTessera(['keys', 'backup', join(copy, 'keys.db'), `--data=${data}`]).ended
  assert.deepEqual([together.code, /would have database and keys/.test(together.err)], [64, true], together.err)
  assert.equal((await runHere(['restore', copy, '--yes', `--data=${data}`])).code, 75, 'under a running service')
  await service.stop()

  const before = readFileSync(join(data, 'tessera.db'))
  const [manifest, database] = [join(copy, 'manifest.json'), join(copy, 'tessera.db')]
  const [signed, whole] = [readFileSync(manifest, 'utf8'), readFileSync(database)]
  const refusals: [string, () => void, RegExp][] = [
    [
      'an edited manifest',
      () => writeFileSync(manifest, signed.replace('"migrations":', '"migrations":1')),
      /was changed, or signed by a service/,
    ],
    [
      'a file that was copied in part',
      () => writeFileSync(database, whole.subarray(0, whole.length / 2)),
      /is not the file of the manifest/,
    ],
    ['no manifest', () => writeFileSync(manifest, '{}'), /is not the manifest of a backup/],
  ]
  for (const [what, damage, expected] of refusals) {
    damage()
    const refused = await runHere(['restore', copy, '--yes', `--data=${data}`])
    assert.notEqual(refused.code, 0, what)
    assert.match(refused.err, expected, what)
    writeFileSync(manifest, signed)
    writeFileSync(database, whole)
  }
  assert.ok(readFileSync(join(data, 'tessera.db')).equals(before))
  const file = await runHere(['restore', database, '--yes', `--data=${data}`])
  assert.deepEqual([file.code, /is a file: give the folder/.test(file.err)], [64, true], file.err)
  const withoutKeys = await runHere(['restore', copy, '--yes', `--data=${join(scratch, 'new')}`])
  assert.deepEqual([withoutKeys.code, /the key store is empty.*Put them there first/s.test(withoutKeys.err)], [78, true], withoutKeys.err)
})

test('a crashed service whose write-ahead log is missing or damaged is not backed up', async () => {
  const scratch = makeScratch()
  const [data, copy] = [join(scratch, 'data'), join(scratch, 'copy')]
  const service = await startTesseraChild(data)
  await create(service)
  service.kill('SIGKILL')
  await service.ended
  const wal = join(data, 'tessera.db-wal')
  const log = readFileSync(wal)
  const damaged = Buffer.from(log)
  damaged.fill(0xff, 32 + 24, 32 + 24 + 64)
  writeFileSync(wal, damaged)
  const refused = await runTessera(['backup', copy, `--data=${data}`]).ended
  assert.deepEqual([refused.code === 0, /is damaged/.test(refused.err)], [false, true], refused.err)
  rmSync(wal)
  const incomplete = await runTessera(['backup', copy, `--data=${data}`]).ended
  assert.deepEqual([incomplete.code === 0, /database_incomplete/.test(incomplete.err)], [false, true], incomplete.err)
  assert.deepEqual(readdirSync(copy), [])
})

test('a database that lacks audit entries can be accepted, backed up and restored, and the entries are named; a damaged page refuses', async () => {
  const scratch = makeScratch()
  const [data, copy] = [join(scratch, 'data'), join(scratch, 'copy')]
  const before = await startTesseraChild(data)
  const token = await create(before)
  await create(before)
  await before.stop()
  const database = join(data, 'tessera.db')
  const writer = new DatabaseSync(database)
  assert.equal(writer.prepare(`delete from audit where chain = 'embedded' and seq = 3`).run().changes, 1)
  writer.close()
  const refused = await runHere(['start', '--port=0', '--admin-port=0', `--data=${data}`])
  assert.equal(refused.code, 65)
  assert.match(
    refused.err,
    /database_torn: .*the audit chain embedded lacks entry 3.*accept the database: tessera audit accept-restored --yes/s,
  )
  const accepted = await runHere(['audit', 'accept-restored', '--yes', `--data=${data}`])
  assert.equal(accepted.code, 0, accepted.err)

  const service = await startTesseraChild(data)
  assert.match((await service.ask('audit', 'verify')).out, /entries before this one are missing/)
  const made = await runTessera(['backup', copy, `--data=${data}`]).ended
  assert.equal(made.code, 0, made.err)
  const doctor = await service.ask('doctor')
  assert.deepEqual([doctor.code, /FIX +audit +chain embedded, entry 4: entries before/.test(doctor.out)], [1, true], doctor.out)
  assert.match(made.out, /The database lacks audit entries.*the audit chain embedded lacks entry 3\n/s)
  await service.stop()
  const restored = await runHere(['restore', copy, '--yes', `--data=${data}`])
  assert.equal(restored.code, 0, restored.err)
  assert.match(restored.out, /Already then the audit chain embedded lacks entry 3\./)
  const beside = await runTessera(['backup', join(scratch, 'stopped'), `--data=${data}`]).ended
  assert.deepEqual([beside.code, beside.out.includes('not in the audit')], [0, false], beside.err + beside.out)
  const after = await startTesseraChild(data)
  assert.match((await after.ask('audit', 'list')).out, /operator .*database\.backed_up .*destination: — → stopped/)
  assert.equal((await after.call('cards.check', { token }, true)).reply.result?.card.token, token)
  await after.stop()

  const bytes = readFileSync(database)
  // The number of cells of the second page.
  bytes.writeUInt16BE(0xffff, 4096 + 3)
  writeFileSync(database, bytes)
  for (const args of [
    ['backup', join(scratch, 'damaged')],
    ['audit', 'accept-restored', '--yes'],
  ]) {
    const damaged = await runHere([...args, `--data=${data}`])
    assert.equal(damaged.code, 65, `${args.join(' ')}: ${damaged.err}`)
  }
})

interface RestoredCards {
  readonly present: string
  readonly absent: string
  readonly starts: number
}

type Service = Awaited<ReturnType<typeof startTesseraChild>>

async function create(service: Service): Promise<string> {
  const { reply } = await service.call('cards.create', { card, save: true })
  return reply.result?.card.token ?? assert.fail('no card')
}

/** The service starts without an alarm, and its audit agrees with every checkpoint and with what the operator accepted. */
async function assertCards(data: string, { present, absent, starts }: RestoredCards): Promise<void> {
  for (let start = 0; start < starts; start++) {
    const service = await startTesseraChild(data)
    assert.equal((await service.call('cards.check', { token: present }, true)).reply.result?.card.token, present)
    assert.equal((await service.call('cards.check', { token: absent }, true)).reply.error?.reason, 'card_not_found')
    const verified = await service.ask('audit', 'verify', '--from', join(data, 'audit-checkpoints.jsonl'))
    assert.equal(verified.code, 0, verified.out)
    assert.match((await service.ask('audit', 'list')).out, /operator .*database\.restored .*backup: — → 20/)
    const { err } = await service.stop()
    assert.ok(!err.includes('audit_chain_broken'), err)
  }
}

test('every file of a backup is synced with its folder before the command ends, encrypted or not', async () => {
  const strace = findOnPath('strace') ?? assert.fail('strace is missing')
  const scratch = makeScratch()
  const data = join(scratch, 'data')
  await (await startTesseraChild(data)).stop()
  const recipient = await identityToRecipient(await generateIdentity())
  for (const [name, flags] of [
    ['plain', []],
    ['encrypted', [`--recipient=${recipient}`]],
  ] as const) {
    const [copy, calls] = [join(scratch, name), join(scratch, `${name}.calls`)]
    const launcher = fileURLToPath(new URL('../../../bin/tessera.mjs', import.meta.url))
    const traced = [
      '-f',
      '--seccomp-bpf',
      '-y',
      '-qq',
      '-e',
      'trace=fsync,fdatasync',
      '-o',
      calls,
      process.execPath,
      launcher,
      'backup',
      copy,
      `--data=${data}`,
      ...flags,
    ]
    const { status, stderr } = spawnSync(strace, traced, { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    const synced = [...readFileSync(calls, 'utf8').matchAll(/(?:fsync|fdatasync)\(\d+<([^>]*)>/g)].map(([, path]) => path)
    const folder = synced.lastIndexOf(copy)
    for (const file of readdirSync(copy)) {
      const at = synced.indexOf(join(copy, file))
      assert.ok(at >= 0 && at < folder, `${name}: ${file} of ${synced.join(' ')}`)
    }
    assert.ok(synced.includes(scratch), 'the new folder has an entry too')
  }
})

test('a backup encrypted to a recipient has nothing in the clear, and is restored with the identity alone', async () => {
  const scratch = makeScratch()
  const [data, copy, keys] = [join(scratch, 'data'), join(scratch, 'copy'), join(scratch, 'keys.age')]
  const identities = await Promise.all([generateIdentity(), generateIdentity(), generateIdentity()])
  const recipients = await Promise.all(identities.map(identityToRecipient))
  const files = identities.map((_, at) => join(scratch, `identity-${String(at)}`))
  for (const [at, path] of files.entries())
    writeFileSync(path, `# public key: ${recipients[at] ?? ''}\n${identities[at] ?? ''}\n`, { mode: 0o600 })
  const service = await startTesseraChild(data)
  const made = await create(service)
  await until(() => existsSync(join(data, 'requests.db')), 'the request log')
  const backup = await runTessera(['backup', copy, `--data=${data}`, `--recipient=${recipients.slice(0, 2).join(',')}`]).ended
  assert.equal(backup.code, 0, backup.err)
  assert.match(backup.out, /integrity, schema, .*\nManifest, signed.*\nEncrypted to 2 recipients/s)
  assert.deepEqual(readdirSync(copy).sort(), ['manifest.json', 'requests.db.age', 'tessera.db.age'])
  for (const name of ['requests.db.age', 'tessera.db.age']) {
    const bytes = readFileSync(join(copy, name))
    assert.equal(bytes.subarray(0, 21).toString(), 'age-encryption.org/v1')
    assert.ok(!bytes.includes('SQLite format') && !bytes.includes('create table'), name)
    assert.equal(statSync(join(copy, name)).mode & 0o777, 0o600)
  }
  writeFileSync(join(scratch, 'recipients'), `# the safe\n${recipients[2] ?? ''}\n`)
  const keysMade = await runTessera(['keys', 'backup', keys, `--data=${data}`, `--recipients-file=${join(scratch, 'recipients')}`]).ended
  assert.equal(keysMade.code, 0, keysMade.err)
  assert.deepEqual(
    readdirSync(data).filter((name) => name.startsWith('staging-')),
    [],
  )
  await service.stop()

  // Another machine: the key store is opened by age itself, here by its library, with another identity.
  const other = join(scratch, 'other')
  mkdirSync(other, { mode: 0o700 })
  await decryptFile(keys, join(other, 'keys.db'), parseIdentities(identities[2]))
  cpSync(join(data, 'development.kek'), join(other, 'development.kek'))
  const restore = (...options: string[]): Promise<Ended> => runHere(['restore', copy, '--yes', `--data=${other}`, ...options])
  const refused: [string[], RegExp][] = [
    [[], /tessera\.db\.age is encrypted: give the file with the identity by --identity|requests\.db\.age is encrypted/],
    [[`--identity=${files[2] ?? ''}`], /cannot be opened: it is encrypted to others than this identity/],
    [[`--identity=${join(scratch, 'recipients')}`], /--identity .*recipients: (other users can read it|its key 1 is no identity)/],
    [[`--identity=${join(scratch, 'none')}`], /cannot be read \(ENOENT\)/],
  ]
  for (const [options, message] of refused) {
    const ended = await restore(...options)
    assert.equal(ended.code, 64, ended.err)
    assert.match(ended.err, message)
    assert.ok(!existsSync(join(other, 'tessera.db')))
  }
  const restored = await restore(`--identity=${files[1] ?? ''}`)
  assert.equal(restored.code, 0, restored.err)
  await assertCards(other, { present: made, absent: made.replace(/.$/, 'x'), starts: 1 })
  assert.deepEqual(
    readdirSync(other).filter((name) => name.startsWith('staging-')),
    [],
  )

  // A flipped bit is found before anything is put in place.
  const bytes = readFileSync(join(copy, 'tessera.db.age'))
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(join(copy, 'tessera.db.age'), bytes)
  const damaged = await restore(`--identity=${files[0] ?? ''}`)
  assert.deepEqual([damaged.code, /or damaged/.test(damaged.err)], [64, true], damaged.err)
})

test('Ctrl-C during an encrypted backup leaves no copy in the clear', async () => {
  const scratch = makeScratch()
  const [data, copy] = [join(scratch, 'data'), join(scratch, 'copy')]
  const service = await startTesseraChild(data)
  await create(service)
  const staged = (): string[] => readdirSync(data).filter((name) => name.startsWith('staging-'))
  const recipient = await identityToRecipient(await generateIdentity())
  const backup = runTessera(['backup', copy, `--data=${data}`, '--rate=1', '--recipient', recipient])
  await until(() => staged().length > 0, 'the folder of the copy')
  backup.kill('SIGINT')
  assert.equal((await backup.ended).code, 130)
  assert.deepEqual(staged(), [])
  await service.stop()
})

test('recipients that are none are refused before anything is written, and a secret key is not repeated', async () => {
  const scratch = makeScratch()
  const data = join(scratch, 'data')
  await startTesseraChild(data).then((service) => service.stop())
  const secret = await generateIdentity()
  for (const [recipient, message] of [
    ['age1nothing', /--recipient: "age1nothing" is no recipient of age/],
    [secret, /--recipient: a secret key \(AGE-SECRET-KEY-…\) stands where a recipient belongs/],
    [',', /--recipient: no recipient is named/],
  ] as const) {
    const copy = join(scratch, 'copy')
    const ended = await runTessera(['backup', copy, `--data=${data}`, `--recipient=${recipient}`]).ended
    assert.equal(ended.code, 64)
    assert.match(ended.err, message)
    assert.ok(!ended.err.includes(secret) && !existsSync(copy))
  }
})
