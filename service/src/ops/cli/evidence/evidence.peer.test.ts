// time limit: 420 s
// needs: softhsm, postgres
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import type { Result } from '@tessera/contract/operations'

import { findOnPath } from '../../../../../tools/find-program.ts'
import { findPostgresFolder, startCluster, type Cluster } from '../../../../../tools/postgres.ts'
import { makeScratch, runTessera, startTesseraChild, type Ended } from '../../../testing/child.fixture.ts'
import { makeVerifiedRows } from '../../../domain/verified-rows.ts'
import { pageWatchesTable } from '../../../store/page-watches.ts'
import { readConfig } from '../../config/config.ts'
import { runOn } from '../boot.fixture.ts'
import { withSubject } from '../with-subject.ts'

import { brokenDeployments } from './broken-deployments.ts'
import type { EvidenceDocument, JudgedRow } from './document.ts'

// An installation for production with a real PKCS#11 token (SoftHSM2) and a real PostgreSQL, and copies of it with one thing wrong each. Gateway and network are
// programs that accept connections: the evidence calls neither.

const scratch = makeScratch()
const data = join(scratch, 'data')
const publicKeys = join(scratch, 'keys.pem')
const env = { SOFTHSM2_CONF: join(scratch, 'softhsm2.conf') }
const pan = '8600069195406311'
let cluster: Cluster
let peer: Server
let syslog: Socket
let base: EvidenceDocument

/** Settings by name, so that a copy of the installation can have others. */
let settings: Readonly<Record<string, string>>

before(async () => {
  cluster = await startCluster()
  peer = createServer((socket) => void socket.on('error', () => undefined).resume()).unref()
  peer.listen(0, '127.0.0.1')
  syslog = createSocket('udp4').unref()
  syslog.bind(0, '127.0.0.1')
  await Promise.all([once(peer, 'listening'), once(syslog, 'listening')])
  for (const name of ['cards', 'keys']) await runOn(cluster.url, `create database ${name}`)
  makeToken()
  settings = await makeSettings()
  const made = await tessera(settings, 'keys', 'init')
  assert.equal(made.code, 0, made.err)
  await live()
})
after(async () => {
  peer.close()
  syslog.close()
  await cluster.stop()
})

test('of an installation that is right no row is against it, the pack is signed, and has no card number', async () => {
  base = await collect(settings, 'base')
  assert.deepEqual(
    base.rows.filter(({ state }) => state !== 'met' && state !== 'person').map(({ id, found }) => `${id}: ${found}`),
    [],
  )
  assert.match(findRow(base, 'card-numbers').found, /^1 card$/)
  assert.match(findRow(base, 'kek').found, /^pkcs11-/)
  const file = join(scratch, 'base', 'evidence.json')
  assert.equal((await runTessera(['evidence', `--verify=${file}`, `--key=${publicKeys}`]).ended).code, 0)
  const text = readFileSync(file, 'utf8')
  const forged = join(scratch, 'forged.json')
  writeFileSync(forged, text.replace('"1 card"', '"2 cards"'))
  const refused = await runTessera(['evidence', `--verify=${forged}`, `--key=${publicKeys}`]).ended
  assert.deepEqual([refused.code, refused.out.trim()], [1, `${forged} was not signed by any of the keys as it is.`])
  for (const name of ['evidence.json', 'evidence.md']) assert.ok(!readFileSync(join(scratch, 'base', name), 'utf8').includes(pan))
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: join(scratch, 'base') })
  const again = await tessera(settings, 'evidence', `--out=${join(scratch, 'base')}`)
  assert.equal(again.code, 64)
  assert.match(again.err, /is not empty: give a new folder for each pack/)
})

/** What is done to a copy, by the name of the broken deployment; returns its settings, and variables of its environment. */
const breaks: Readonly<Record<string, () => Promise<{ settings: Readonly<Record<string, string>>; env?: NodeJS.ProcessEnv }>>> = {
  'development-kek': () => Promise.resolve({ settings: { ...settings, kek: 'file' } }),
  'sandbox-network': () => Promise.resolve({ settings: { ...settings, network: 'sandbox' } }),
  'plain-database': () => Promise.resolve({ settings: without(settings, 'database-transport', 'database-private-reason') }),
  'keys-with-cards': async () => {
    const both = await copyDatabase('cards')
    // Tables that each of the two has are left as they are.
    const shared = (await runOn(both, `select tablename from pg_tables where schemaname = 'public'`)) as { tablename: string }[]
    const options = ['--inserts', ...shared.map(({ tablename }) => `--exclude-table=${tablename}`)]
    const dump = execFileSync(join(findPostgresFolder() ?? '', 'pg_dump'), [...options, urlOf('keys')], { encoding: 'utf8' })
    await runOn(both, dump.replaceAll(/^\\.*$/gm, ''))
    return { settings: { ...settings, 'database-url-file': writeUrl(both), 'keys-database-url-file': writeUrl(both) } }
  },
  'plain-form': () => Promise.resolve({ settings: { ...settings, 'form-origin': 'http://pay.provider.example' } }),
  'no-limits': () => Promise.resolve({ settings: { ...settings, limits: 'off' } }),
  'open-folder': () => {
    chmodSync(data, 0o755)
    return Promise.resolve({ settings })
  },
  'no-export': () => Promise.resolve({ settings: without(settings, 'audit-checkpoint-syslog') }),
  'old-kek': () => change('cards', `update keks set since = since - 800 * 86400000::bigint`),
  'test-data': () => change('cards', `insert into sms_inbox (merchant_id, id, at, phone_mask, text) values ('a', 'b', 0, '', '')`),
  'changed-card': () => change('cards', `update cards set recurrent = 1 - recurrent`),
  'cut-audit': () => change('cards', `delete from audit where seq = 2 and chain = (select chain from audit where seq = 3 limit 1)`),
  'secret-in-environment': () =>
    Promise.resolve({ settings: without(settings, 'database-url-file'), env: { TESSERA_DATABASE_URL: urlOf('cards') } }),
  'no-page-readings': () => Promise.resolve({ settings: { ...settings, 'page-read-hours': '0' } }),
  'late-page-readings': async () => change('cards', await makePageInsert(Date.now() - 8 * 86_400_000)),
  'password-only': () => Promise.resolve({ settings }),
}

test('each installation with one thing wrong is told by the rows that are named for it, and by no other', async (t) => {
  assert.deepEqual(
    brokenDeployments.map(({ name }) => name),
    Object.keys(breaks),
  )
  for (const { name, notMet, unknown } of brokenDeployments)
    await t.test(name, async () => {
      if (name === 'password-only') await addUser()
      const broken = await breaks[name]?.()
      const found = await collect(broken?.settings ?? settings, name, broken?.env).finally(() => chmodSync(data, 0o700))
      const changed = (state: JudgedRow['state']): string[] =>
        found.rows.filter((row) => row.state === state && findRow(base, row.id).state !== state).map(({ id }) => id)
      const explained = found.rows.map(({ id, state, found: what }) => `${id} ${state}: ${what}`).join('\n')
      assert.deepEqual(changed('not met').sort(), [...notMet].sort(), explained)
      assert.deepEqual(changed('unknown').sort(), [...unknown].sort(), explained)
    })
})

async function collect(of: Readonly<Record<string, string>>, name: string, more: NodeJS.ProcessEnv = {}): Promise<EvidenceDocument> {
  const folder = join(scratch, name)
  const { code, err } = await runTessera(['evidence', `--out=${folder}`, ...toFlags(of)], { ...env, ...more }).ended
  assert.ok(code === 0 || code === 1, err)
  return JSON.parse(readFileSync(join(folder, 'evidence.json'), 'utf8')) as EvidenceDocument
}

function findRow({ rows }: EvidenceDocument, id: string): JudgedRow {
  return rows.find((row) => row.id === id) ?? assert.fail(id)
}

/** SQL that stores a page which was read at that time, and never again, as the service would have stored it. */
async function makePageInsert(at: number): Promise<string> {
  process.env['SOFTHSM2_CONF'] = env.SOFTHSM2_CONF
  const [merchant] = (await runOn(urlOf('cards'), 'select bucket, id from merchants')) as { bucket: number; id: string }[]
  const { config } = readConfig(toFlags(settings), {})
  const row = await withSubject(config, async (subject) => {
    const rows = makeVerifiedRows(
      { keyring: await subject.keyring(), environment: config.environment, alarm: () => undefined },
      pageWatchesTable,
    )
    return rows.seal({
      bucket: merchant?.bucket ?? 0,
      merchantId: merchant?.id ?? '',
      pageId: '0'.repeat(24),
      page: 'https://shop.example/pay',
      state: 'unchanged',
      baseline: '{}',
      changes: '[]',
      reading: at,
      failures: 0,
      dueAt: at + 86_400_000,
      readAt: at,
      changedAt: 0,
      mac: new Uint8Array(0),
    })
  })
  const literals = pageWatchesTable.toValues(row).map((value) => {
    if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'::bytea`
    return typeof value === 'string' ? `'${value}'` : String(value)
  })
  return `insert into page_watches (${pageWatchesTable.columns}) values (${literals.join(', ')})`
}

/** A copy of one database, changed by somebody who can write it. */
async function change(which: 'cards' | 'keys', sql: string): Promise<{ settings: Readonly<Record<string, string>> }> {
  const copy = await copyDatabase(which)
  await runOn(copy, sql)
  return { settings: { ...settings, [which === 'cards' ? 'database-url-file' : 'keys-database-url-file']: writeUrl(copy) } }
}

/** Returns the URL of the copy. */
async function copyDatabase(which: 'cards' | 'keys'): Promise<string> {
  const copy = `copy_${String(++copies)}`
  await runOn(cluster.url, `create database ${copy} template ${which}`)
  return urlOf(copy)
}
let copies = 0

/** Returns the path of a file that only this user can read. */
function writeUrl(url: string): string {
  const path = join(scratch, `url-${String(++urls)}`)
  writeFileSync(path, `${url}\n`, { mode: 0o600 })
  return path
}
let urls = 0

/** The service runs, stores one card of a merchant, and stops. */
async function live(): Promise<void> {
  const service = await startTesseraChild(data, toFlags(without(settings, 'data', 'port', 'admin-port')), env)
  const merchant = await tessera(settings, 'merchants', 'create', '--json', '--name=A shop')
  assert.equal(merchant.code, 0, merchant.err)
  const { merchantId } = JSON.parse(merchant.out) as Result<'operator.merchants.create'>
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'cards.create',
    params: { card: { number: pan, expire: '0399' }, save: true },
  })
  const reply = await fetch(`${service.facts.url}/api/cards.create`, { method: 'POST', headers: { 'x-auth': merchantId }, body })
  assert.match(await reply.text(), /"token"/)
  const keys = await tessera(settings, 'audit', 'public-key')
  assert.equal(keys.code, 0, keys.err)
  writeFileSync(publicKeys, keys.out)
  assert.equal((await service.stop()).code, 0)
}

async function addUser(): Promise<void> {
  const service = await startTesseraChild(data, toFlags(without(settings, 'data', 'port', 'admin-port')), env)
  const { merchants } = JSON.parse((await tessera(settings, 'merchants', 'list', '--json')).out) as Result<'operator.merchants.list'>
  const made = await tessera(settings, 'dashboard', 'users', 'create', merchants[0]?.merchantId ?? '', '--phone=998901234567')
  assert.equal(made.code, 0, made.err)
  assert.equal((await service.stop()).code, 0)
}

function tessera(of: Readonly<Record<string, string>>, ...command: readonly string[]): Promise<Ended> {
  return runTessera([...command, ...toFlags(of)], env).ended
}

function toFlags(of: Readonly<Record<string, string>>): string[] {
  return Object.entries(of).map(([name, value]) => `--${name}=${value}`)
}

function without(of: Readonly<Record<string, string>>, ...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(of).filter(([name]) => !names.includes(name)))
}

function urlOf(database: string): string {
  return cluster.url.replace(/\/[^/]*$/, `/${database}`)
}

function portOf(listening: Server | Socket): string {
  const address = listening.address()
  return String(typeof address === 'object' ? address?.port : address)
}

async function makeSettings(): Promise<Readonly<Record<string, string>>> {
  const password = join(scratch, 'password')
  writeFileSync(password, 'secret\n', { mode: 0o600 })
  mkdirSync(data, { mode: 0o700 })
  const modulePath = ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib64/libsofthsm2.so'].find((path) => existsSync(path)) ?? 'missing'
  return Promise.resolve({
    env: 'production',
    // Any free ones: another program may have those of the defaults.
    port: '0',
    'admin-port': '0',
    data,
    'database-url-file': writeUrl(urlOf('cards')),
    'keys-database-url-file': writeUrl(urlOf('keys')),
    'database-transport': 'private',
    'database-private-reason': 'loopback of a test',
    'provider-name': 'A provider',
    'provider-address': '1 Amir Temur, Tashkent',
    'provider-url': 'https://provider.example',
    'terms-url': 'https://provider.example/terms',
    'privacy-url': 'https://provider.example/privacy',
    disclosure: JSON.stringify({ version: '1', en: 'a', ru: 'b', uz: 'c' }),
    'form-origin': 'https://pay.provider.example',
    'dashboard-origin': 'https://merchants.provider.example',
    'trusted-proxies': '127.0.0.1',
    'audit-checkpoint-syslog': `udp://127.0.0.1:${portOf(syslog)}`,
    kek: 'pkcs11',
    'kek-pkcs11-module': modulePath,
    'kek-pkcs11-token': 'cards',
    'kek-pkcs11-pin-file': join(scratch, 'pin'),
    sms: 'http',
    'sms-http-template': 'kannel',
    'sms-http-base-url': `http://127.0.0.1:${portOf(peer)}`,
    'sms-http-username': 'tessera',
    'sms-http-password-file': password,
    'sms-http-sender': '4546',
    'sms-http-transport': 'private',
    'sms-http-private-reason': 'loopback of a test',
    network: 'iso8583',
    'network-iso8583-host': '127.0.0.1',
    'network-iso8583-port': portOf(peer),
    'network-iso8583-transport': 'private',
    'network-iso8583-private-reason': 'loopback of a test',
    'network-iso8583-routes': '8600',
    'network-iso8583-terminal-id': 'TERM0001',
    'network-iso8583-acceptor-id': 'ACCEPTOR0000001',
  })
}

function makeToken(): void {
  mkdirSync(join(scratch, 'tokens'))
  writeFileSync(env.SOFTHSM2_CONF, `directories.tokendir = ${join(scratch, 'tokens')}\nlog.level = ERROR\n`)
  writeFileSync(join(scratch, 'pin'), '246810\n', { mode: 0o600 })
  const softhsm = findOnPath('softhsm2-util') ?? assert.fail('softhsm2-util is missing: npm run peers installs it')
  const args = ['--init-token', '--free', '--label', 'cards', '--so-pin', '13579', '--pin', '246810']
  execFileSync(softhsm, args, { stdio: 'ignore', env: { ...process.env, ...env } })
}
