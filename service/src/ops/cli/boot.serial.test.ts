import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'

import { startCluster } from '../../../../tools/postgres.ts'

import { makeScratch, runTessera, startTesseraChild } from '../../testing/child.fixture.ts'

const scratch = makeScratch()
let folders = 0

function freshFolder(): string {
  const folder = join(scratch, `folder-${String(folders++)}`)
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

/** The reasons that a refused start lists, without its first line, and without its last, which says what asks for missing settings. */
async function refusal(env: NodeJS.ProcessEnv, args: readonly string[] = [], nodeArgs: readonly string[] = []): Promise<string[]> {
  const { code, out, err } = await runTessera(['start', ...args], env, nodeArgs).ended
  assert.deepEqual([code, out], [78, ''], err)
  const [first, ...reasons] = err.split('\n').filter((line) => !line.startsWith('Debugger') && !line.startsWith('For help') && line !== '')
  assert.match(first ?? '', /^tessera: /)
  const isMissing = reasons.some((line) => line.trim().startsWith('missing: '))
  if (isMissing) assert.match(reasons.pop() ?? '', /^ *Run `tessera init`/)
  return reasons.map((line) => line.trim())
}

const missingAdapters = [/^missing: TESSERA_KEK is not set/, /^missing: TESSERA_NETWORK is not set/, /^missing: TESSERA_SMS is not set/]

function assertReasons(found: readonly string[], wanted: readonly (RegExp | string)[]): void {
  assert.equal(found.length, wanted.length, found.join('\n'))
  wanted.forEach((reason, i) => (typeof reason === 'string' ? assert.equal(found[i], reason) : assert.match(found[i] ?? '', reason)))
}

const filled = {
  TESSERA_ENV: 'production',
  TESSERA_PROVIDER_NAME: 'Tessera Test',
  TESSERA_PROVIDER_URL: 'https://provider.example',
  TESSERA_TERMS_URL: 'https://provider.example/terms',
  TESSERA_PRIVACY_URL: 'https://provider.example/privacy',
  TESSERA_DISCLOSURE: JSON.stringify({ version: '1', en: 'a', ru: 'b', uz: 'c' }),
  TESSERA_FORM_ORIGIN: 'https://pay.provider.example',
  TESSERA_DASHBOARD_ORIGIN: 'https://merchants.provider.example',
}

test('a production start without settings lists every missing setting and adapter', async () => {
  const reasons = await refusal({ TESSERA_ENV: 'production', TESSERA_DATA: join(scratch, 'absent') })
  assertReasons(reasons, [
    ...missingAdapters,
    'missing: TESSERA_PROVIDER_NAME is not set.',
    'missing: TESSERA_PROVIDER_URL is not set.',
    'missing: TESSERA_TERMS_URL is not set.',
    'missing: TESSERA_PRIVACY_URL is not set.',
    'missing: TESSERA_DISCLOSURE is not set.',
    'missing: TESSERA_FORM_ORIGIN is not set.',
    'missing: TESSERA_DASHBOARD_ORIGIN is not set.',
  ])
})

test('adapters of the test environment are refused in production by name', async () => {
  const chosen = { TESSERA_KEK: 'file', TESSERA_NETWORK: 'sandbox', TESSERA_SMS: 'sandbox' }
  assertReasons(await refusal({ ...filled, ...chosen, TESSERA_DATA: join(scratch, 'absent') }), [
    'forbidden: TESSERA_KEK=file is an adapter of the test environment.',
    'forbidden: TESSERA_NETWORK=sandbox is an adapter of the test environment.',
    'forbidden: TESSERA_SMS=sandbox is an adapter of the test environment.',
  ])
})

test('a production start with every setting is refused for the adapters that this version lacks', async () => {
  assertReasons(await refusal({ ...filled, TESSERA_DATA: freshFolder() }), missingAdapters)
})

test('one host for form and dashboard, http, limits off, cheap password hashes and keys in the database of the cards are each refused', async () => {
  const wrong = {
    TESSERA_FORM_ORIGIN: 'http://provider.example:8443',
    TESSERA_DASHBOARD_ORIGIN: 'https://provider.example',
    TESSERA_LIMITS: 'off',
    TESSERA_DASHBOARD_PASSWORD_COST: '16',
    TESSERA_DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:1/x',
    TESSERA_KEYS_DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:1/x',
  }
  const reasons = await refusal({ ...filled, ...wrong, TESSERA_DATA: freshFolder() })
  assertReasons(reasons, [
    ...missingAdapters,
    'forbidden: TESSERA_FORM_ORIGIN is not https.',
    'forbidden: form and dashboard are on one host name, so they would share cookies; give each its own.',
    'forbidden: TESSERA_LIMITS is off.',
    'forbidden: TESSERA_DASHBOARD_PASSWORD_COST is below 17.',
    'forbidden: TESSERA_KEYS_DATABASE_URL is the database of the cards; a backup of the cards must not hold their keys.',
    /^forbidden: TESSERA_DATABASE_URL is reached over TCP and has no sslmode/,
    /^forbidden: TESSERA_KEYS_DATABASE_URL is reached over TCP and has no sslmode/,
    /^unknown: the database could not be inspected/,
  ])
  assert.ok(!reasons.join('').includes('hunter2'))
})

test('a production start on PostgreSQL requires another database for the keys', async () => {
  const database = { TESSERA_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x?sslmode=verify-full' }
  const reasons = await refusal({ ...filled, ...database, TESSERA_DATA: freshFolder() })
  assertReasons(reasons, [...missingAdapters, 'missing: TESSERA_KEYS_DATABASE_URL is not set.', /^unknown: the database/])
})

test('a verification policy whose codes can be guessed is refused with the reason, in every environment', async () => {
  const reasons = await refusal({ TESSERA_OTP_LENGTH: '5', TESSERA_DATA: join(scratch, 'absent') })
  assertReasons(reasons, [/^forbidden: the verification policy of the service has only 100,000 possible codes, .* make the code longer/])
})

test('a debugger on a production process is refused', async () => {
  const reasons = await refusal({ ...filled, TESSERA_DATA: freshFolder() }, [], ['--inspect=127.0.0.1:0'])
  assertReasons(reasons, [...missingAdapters, 'forbidden: a debugger is open on this process (--inspect).'])
})

test('a data folder of the test environment is refused in production, even if it is marked as production', async () => {
  const folder = freshFolder()
  await (await startTesseraChild(folder)).stop()
  const asItIs = await refusal({ ...filled, TESSERA_DATA: folder })
  assertReasons(asItIs, [
    ...missingAdapters,
    `forbidden: the data folder ${folder} was made in the test environment and cannot be opened in production: set TESSERA_DATA to another.`,
    `forbidden: the data folder ${folder} has a development key.`,
  ])
  writeFileSync(join(folder, 'environment'), 'production\n')
  chmodSync(folder, 0o755)
  const disguised = await refusal({ ...filled, TESSERA_DATA: folder })
  assertReasons(disguised, [
    ...missingAdapters,
    `forbidden: the data folder ${folder} has a development key.`,
    `forbidden: the data folder ${folder} is open to other users: chmod 700 it.`,
    'forbidden: the demo merchant 65f0c0ffee0000000000cafe is in the database; its password is public.',
    "forbidden: the sandbox's login to the dashboard is in the database; its password is public.",
  ])
})

test('a test start on a folder of production is refused', async () => {
  const folder = freshFolder()
  writeFileSync(join(folder, 'environment'), 'production\n')
  const { code, err } = await runTessera(['start', '--port=0', '--admin-port=0', `--data=${folder}`]).ended
  assert.equal(code, 78)
  assert.match(err, /was made in the production environment and cannot be opened in test/)
})

test('a PostgreSQL that a test environment used is refused in production', async () => {
  const cluster = await startCluster()
  try {
    const test = await startTesseraChild(freshFolder(), [], { TESSERA_DATABASE_URL: cluster.url })
    assert.deepEqual(
      [test.facts.store, (await test.call('cards.create', { card: sandboxCard })).reply.result?.card.verify],
      ['postgres', false],
    )
    assert.equal((await test.stop()).code, 0)
    const line = { TESSERA_DATABASE_TRANSPORT: 'private', TESSERA_DATABASE_PRIVATE_REASON: 'loopback' }
    const env = {
      ...filled,
      ...line,
      TESSERA_DATABASE_URL: cluster.url,
      TESSERA_KEYS_DATABASE_URL: `${cluster.url}?x`,
      TESSERA_DATA: freshFolder(),
    }
    assertReasons(await refusal(env), [
      ...missingAdapters,
      /^forbidden: TESSERA_KEYS_DATABASE_URL is the database of the cards/,
      /^forbidden: the demo merchant/,
      /^forbidden: the sandbox's login to the dashboard/,
    ])
  } finally {
    await cluster.stop()
  }
})

const sandboxCard = { number: '8600069195406311', expire: '0399' }

test('invalid settings are listed, each with the expected value', async () => {
  const reasons = await refusal({ TESSERA_PROT: '1' }, ['--port', 'x', '--otp-attempts-max', '99'])
  assert.deepEqual(reasons, [
    'TESSERA_PROT is not a setting. Did you mean TESSERA_PORT?',
    '--port is "x"; expected a port from 0 to 65535.',
    '--otp-attempts-max is "99"; expected a whole number from 1 to 10.',
  ])
})

test('a port in use is named with the setting that changes it', async () => {
  const holder = createServer()
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
  const { port } = holder.address() as { port: number }
  const api = await runTessera(['start', `--port=${String(port)}`, '--admin-port=0', `--data=${freshFolder()}`]).ended
  const admin = await runTessera(['start', '--port=0', `--admin-port=${String(port)}`, `--data=${freshFolder()}`]).ended
  holder.close()
  assert.deepEqual([api.code, admin.code], [75, 75])
  assert.match(api.err, new RegExp(`port ${String(port)} is in use by another program: set TESSERA_PORT to a free one`))
  assert.match(admin.err, /set TESSERA_ADMIN_PORT to a free one/)
})

test('a second service on one data folder is refused and names the first', async () => {
  const first = await startTesseraChild(freshFolder())
  const second = await runTessera(['start', '--port=0', '--admin-port=0', `--data=${first.folder}`]).ended
  assert.equal(second.code, 75)
  assert.ok(second.err.includes(`pid ${String(first.pid)}`), second.err)
  assert.equal((await first.call('cards.create', { card: sandboxCard })).status, 200, 'the first still runs')
  assert.equal((await first.stop()).code, 0)
})

test('a data folder that cannot be created is reported', async () => {
  const file = join(scratch, 'file')
  writeFileSync(file, '')
  const { code, err } = await runTessera(['start', '--port=0', '--admin-port=0', `--data=${join(file, 'below')}`]).ended
  assert.equal(code, 73)
  assert.match(err, /cannot be used \(ENOTDIR\): let this user write it, or set TESSERA_DATA to another one/)
})

test('the start waits for a database as long as the setting says, then fails', async () => {
  const args = ['start', '--port=0', '--admin-port=0', '--database-wait-seconds=1', `--data=${freshFolder()}`]
  const { code, err } = await runTessera(args, { TESSERA_DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:1/x' }).ended
  assert.equal(code, 69)
  assert.match(err, /"attempt":1.*"event":"database_unreachable"/)
  assert.match(err, /tessera: the database does not respond/)
  assert.ok(!err.includes('hunter2'))
})

test('a data folder in /proc is refused at once', async () => {
  const { code, err } = await runTessera(['start', '--port=0', '--admin-port=0', '--data=/proc/tessera/data']).ended
  assert.equal(code, 73)
  assert.match(err, /the data folder \/proc\/tessera\/data cannot be used \(ENOENT\)/)
})

test('a refused start prints what happened and what to do, in two lines or as JSON, with its exit code', async () => {
  const folder = freshFolder()
  writeFileSync(join(folder, 'tessera.db'), 'this is not a database, and never was one')
  const args = ['start', '--port=0', '--admin-port=0', `--data=${folder}`]
  const { code, out, err } = await runTessera(args).ended
  assert.deepEqual([code, out], [65, ''], err)
  assert.match(err, /^tessera: \S+tessera\.db is not a database, or an encrypted one\.\n {2}Restarting does not help: .*\n$/)
  const json = await runTessera([...args, '--json']).ended
  const { error } = JSON.parse(json.out) as { error: { exit: string; code: number; lines: string[] } }
  assert.deepEqual([error.exit, error.code, error.lines.length], ['damaged', 65, 2])
})
