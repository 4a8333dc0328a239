import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'

import { readConfig } from '../../config/config.ts'
import { userSettings } from '../../../domain/users/dependencies.ts'
import { commands } from '../commands.ts'
import { finding } from '../doctor-finding.ts'

import { brokenDeployments } from './broken-deployments.ts'
import { formatEvidence, judgeFacts, printEvidence } from './document.ts'
import type { EvidenceFacts, StoredFacts } from './facts.ts'
import { evidenceRows } from './rows.ts'

const now = Date.parse('2026-11-28T10:00:00Z')
const checks = ['test data', 'KEK', 'key store', 'data keys', 'folder', 'folder mode', 'file modes', 'clock']
const { config } = readConfig([], {
  TESSERA_ENV: 'production',
  TESSERA_SMS: 'smpp',
  TESSERA_NETWORK: 'iso8583',
  TESSERA_FORM_ORIGIN: 'https://pay.example',
  TESSERA_DASHBOARD_ORIGIN: 'https://merchants.example',
  TESSERA_TRUSTED_PROXIES: '127.0.0.1',
  TESSERA_DATABASE_URL: 'postgres://localhost/cards?sslmode=verify-full',
  TESSERA_KEYS_DATABASE_URL: 'postgres://localhost/keys?sslmode=verify-full',
  TESSERA_AUDIT_CHECKPOINT_SYSLOG: 'udp://127.0.0.1:514',
})
const stored: StoredFacts = {
  cards: 3,
  rows: 9,
  entries: 20,
  chains: 2,
  oldestEntryAt: now - 365 * 86_400_000,
  changedCards: [],
  changedRows: [],
  chainFaults: [],
}
const good: EvidenceFacts = {
  machine: 'vault-1',
  config,
  findings: checks.map((check) => finding(check, true, check === 'KEK' ? 'pkcs11-0123456789abcdef' : 'as it should be', '')),
  store: stored,
  keys: { active: 8, overdue: [], kekSince: now - 86_400_000 },
  users: { active: 2, withoutSecondFactor: 0 },
  session: userSettings,
  pages: { watched: 3, late: 0, silent: 0, changed: 1 },
  scripts: [{ name: 'card form', integrity: 'sha256-AAAA' }],
  now,
}

test('of an installation that is right every row is met, or for a person to judge', () => {
  const { rows } = judgeFacts(good, '0.1.0')
  assert.deepEqual(
    rows.filter(({ state }) => state !== 'met').map(({ id, state }) => [id, state]),
    [
      ['retention', 'person'],
      ['clock', 'person'],
    ],
  )
  assert.equal(new Set(rows.map(({ id }) => id)).size, evidenceRows.length)
})

const changes: Readonly<Record<string, Partial<EvidenceFacts>>> = {
  files: {
    findings: good.findings.map((each) => (each.check === 'folder mode' ? finding('folder mode', false, '755', 'chmod 700') : each)),
  },
  'environment limits': { config: { ...config, environment: 'test' } },
  'admin-access': { config: { ...config, adminHost: '0.0.0.0' } },
  'start test-data': {
    findings: good.findings.map((each) => (each.check === 'test data' ? finding('test data', false, 'a demo merchant', '') : each)),
  },
  'card-numbers changed-rows': { store: { ...stored, changedCards: ['card a: wrong MAC'] } },
  'changed-rows': { store: { ...stored, changedRows: ['receipt a: wrong MAC'] } },
  'audit-entries audit-history': { store: { ...stored, chainFaults: ['chain ops, entry 3: missing'] } },
  kek: { findings: good.findings.map((each) => (each.check === 'KEK' ? finding('KEK', true, 'file-0123456789abcdef', '') : each)) },
  'keys-apart': { config: { ...config, keysDatabaseUrl: config.databaseUrl } },
  cryptoperiod: { keys: { active: 8, overdue: ['card, due 2026-01-31'], kekSince: now } },
  'tls-outside': { config: { ...config, formOrigin: 'http://pay.example' } },
  'tls-inside': { config: { ...config, databaseUrl: 'postgres://localhost/cards' } },
  'page-scripts': { scripts: 'the card form is not built' },
  'session-idle': { session: { ...userSettings, idleMs: 15 * 60_000 + 1 } },
  'page-readings': { pages: { watched: 3, late: 1, silent: 1, changed: 0 } },
  passwords: { config: { ...config, dashboardPasswordCost: 12 } },
  limits: { config: { ...config, limits: false } },
  'second-factor': { users: { active: 2, withoutSecondFactor: 1 } },
  secrets: { findings: [...good.findings, finding('secrets', true, 'TESSERA_SMS_SMPP_PASSWORD is given by the environment', '')] },
  'audit-export': { config: { ...config, auditCheckpointSyslog: null } },
  'start key-integrity': {
    findings: good.findings.map((each) => (each.check === 'data keys' ? finding('data keys', false, 'exchanged', '') : each)),
  },
  clock: { findings: good.findings.map((each) => (each.check === 'clock' ? finding('clock', false, '2020-01-01', '') : each)) },
}

for (const [ids, change] of Object.entries(changes))
  test(`one thing that is wrong makes these rows not met, and no other: ${ids}`, () => {
    const { rows } = judgeFacts({ ...good, ...change }, '0.1.0')
    assert.equal(
      rows
        .filter(({ state }) => state === 'not met')
        .map(({ id }) => id)
        .join(' '),
      ids,
    )
  })

test('every row can be not met, but for the one that a person judges', () => {
  const tried = new Set(Object.keys(changes).flatMap((ids) => ids.split(' ')))
  assert.deepEqual(
    evidenceRows.map(({ id }) => id).filter((id) => !tried.has(id)),
    ['retention'],
  )
  for (const { name, notMet, unknown } of brokenDeployments)
    for (const id of [...notMet, ...unknown])
      assert.ok(
        evidenceRows.some((row) => row.id === id),
        `${name}: ${id}`,
      )
})

test('the audit of an installation that is younger than 12 months is for a person to judge, and one without entries is not met', () => {
  const judge = (of: Partial<EvidenceFacts>) => judgeFacts({ ...good, ...of }, '0.1.0').rows.find(({ id }) => id === 'audit-history')
  const since = (oldestEntryAt: number | null) => judge({ store: { ...stored, oldestEntryAt } })
  assert.equal(since(now - 365 * 86_400_000)?.state, 'met')
  assert.deepEqual([since(now - 365 * 86_400_000 + 1)?.state, since(null)?.state], ['person', 'not met'])
  assert.match(since(now - 100 * 86_400_000)?.found ?? '', /^since 2026-08-20, 100 days, .* checkpoints exported; .* 14 days\./)
  assert.match(judge({ config: { ...config, auditCheckpointSyslog: null } })?.found ?? '', /checkpoints in a file of this machine only/)
  assert.deepEqual([judge({ store: 'locked' })?.state, judge({ config: null })?.state], ['unknown', 'unknown'])
})

test('pages that do not respond, and an installation without pages, are for a person to judge; pages that are never read again are not met', () => {
  const judge = (of: Partial<EvidenceFacts>) => judgeFacts({ ...good, ...of }, '0.1.0').rows.find(({ id }) => id === 'page-readings')
  const count = { watched: 3, late: 0, silent: 0, changed: 0 }
  assert.match(judge({})?.found ?? '', /^every 24 hours; 3 pages, each read within a week; 1 have changed/)
  assert.deepEqual(
    [judge({ pages: { ...count, silent: 1 } })?.state, judge({ pages: { ...count, watched: 0 } })?.state],
    ['person', 'person'],
  )
  assert.equal(judge({ config: { ...config, pageReadHours: 0 } })?.state, 'not met')
  assert.deepEqual([judge({ pages: 'locked' })?.state, judge({ config: null })?.state], ['unknown', 'unknown'])
})

test('sessions of the dashboard end after 15 idle minutes, as the sign-in of the service has it', () => {
  const row = judgeFacts(good, '0.1.0').rows.find(({ id }) => id === 'session-idle')
  assert.deepEqual([row?.state, row?.found.slice(0, 49)], ['met', 'after 15 minutes without a call, and after 12 hours'.slice(0, 49)])
})

test('the database of the cards is the same for another user, and with another way to connect', () => {
  const judge = (databaseUrl: string, keysDatabaseUrl: string): string | undefined =>
    judgeFacts({ ...good, config: { ...config, databaseUrl, keysDatabaseUrl } }, '0.1.0').rows.find(({ id }) => id === 'keys-apart')?.state
  assert.equal(judge('postgres://a@db.example/cards', 'postgres://b:c@db.example:5432/cards?sslmode=require'), 'not met')
  assert.equal(judge('postgres://a@db1.example,db2.example/cards', 'postgres://a@db2.example/cards'), 'not met')
  assert.equal(judge('postgres:///cards?host=/run/one', 'postgres://b@/cards?host=/run/one'), 'not met')
  assert.equal(judge('postgres:///cards?host=/run/one', 'postgres:///cards?host=/run/two'), 'met')
  assert.equal(judge('postgres://a@db.example/cards', 'postgres://a@db.example/keys'), 'met')
  assert.equal(judge('postgres://a@db.example/cards', 'postgres://a@keys.example/cards'), 'met')
})

test('where custodians hold the KEK, and in the test environment, what nobody looked at is not met', () => {
  const stateOf = (facts: Partial<EvidenceFacts>, id: string): string | undefined =>
    judgeFacts({ ...good, ...facts }, '0.1.0').rows.find((row) => row.id === id)?.state
  const isHeld = (check: string): boolean => check === 'KEK' || check === 'data keys'
  const findings = good.findings.map((each) => (isHeld(each.check) ? { ...each, found: 'not checked here', unseen: true as const } : each))
  for (const id of ['start', 'kek', 'key-integrity']) assert.deepEqual([id, stateOf({ findings }, id)], [id, 'unknown'])
  for (const id of ['secrets', 'test-data']) assert.equal(stateOf({ config: { ...config, environment: 'test' } }, id), 'unknown')
})

test('of several checks each is named, and one thing is not several', () => {
  const foundOf = (id: string): string | undefined =>
    judgeFacts({ ...good, store: { ...stored, chains: 1, entries: 1 } }, '0.1.0').rows.find((row) => row.id === id)?.found
  assert.equal(foundOf('key-integrity'), 'key store: as it should be; data keys: as it should be')
  assert.equal(foundOf('audit-entries'), '1 entry in 1 chain')
})

test('what could not be looked at is unknown, and says why', () => {
  const { rows } = judgeFacts(
    {
      ...good,
      config: null,
      store: 'locked',
      keys: 'locked',
      users: 'locked',
      pages: 'locked',
      findings: [finding('settings', false, 'no such setting', '')],
    },
    '0.1.0',
  )
  const ofProgram = ['start', 'page-scripts', 'session-idle']
  assert.ok(rows.every(({ state, id }) => state === 'unknown' || ofProgram.includes(id)))
  assert.equal(rows.find(({ id }) => id === 'card-numbers')?.found, 'locked')
  assert.equal(rows.find(({ id }) => id === 'limits')?.found, 'the settings are refused: no such setting')
})

test('the pack for people has a line for each row, and names its limits; the one for programs says why it is not signed', () => {
  const document = judgeFacts(good, '0.1.0')
  const text = printEvidence(document, 'Not signed: sealed.')
  assert.equal(text.match(/^\| [\d.]/gm)?.length, evidenceRows.length)
  assert.match(text, /never by SAQ A/)
  assert.ok(text.includes(`on the machine vault-1, data folder ${config.dataFolder}, PostgreSQL.`))
  assert.equal((JSON.parse(formatEvidence(document, 'sealed')) as { unsigned: string }).unsigned, 'sealed')
})

test('what is not met has a next step, whose settings, commands and pages exist; what is met has none', () => {
  const text = evidenceRows.map(({ next }) => next).join(' ')
  const quoted = [...text.matchAll(/`([^`]+)`/g)].map(([, each = '']) => each)
  const names = new Set(commands.map(({ name }) => name))
  const unknown = quoted.filter((each) => {
    const [, command] = /^tessera (.+)$/.exec(each) ?? []
    if (command !== undefined) return !names.has(command)
    if (each.startsWith('docs/')) return !existsSync(new URL(`../../../../../${each}`, import.meta.url))
    return /^[a-z]\w+$/.test(each) && !(each in config) && each !== 'File'
  })
  assert.deepEqual(unknown, [])
  assert.ok(quoted.length > 20)
  const { rows } = judgeFacts({ ...good, config: { ...config, environment: 'test' } }, '0.1.0')
  assert.deepEqual(
    rows.filter(({ state, next }) => (state === 'met') !== (next === undefined)),
    [],
  )
  const installation = { machine: '', dataFolder: null, store: null }
  const printed = printEvidence({ at: '', version: '', environment: '', installation, rows }, '')
  assert.match(printed, /## What to do\n\n- \*\*not met\*\*, 2\.2\.4, 6\.5\.6: .*going-live\.md/)
})
