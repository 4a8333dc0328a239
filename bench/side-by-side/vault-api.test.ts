import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { readForeignVaults } from './contenders.ts'
import { describeUnsafe } from './durability.ts'
import { vaultApis, writeVaultRequest } from './vault-api.ts'
import { formatVaultMeasures } from './vault-table.ts'

const card = { pan: '8600140000000006', month: '03', year: '99' }

test('every vault is given the same number and expiry, in the form of its own API', () => {
  for (const [kind, api] of Object.entries(vaultApis)) {
    const text = writeVaultRequest('http://127.0.0.1:8080', api.create(card, 'merchant:password')).toString()
    assert.ok(text.includes(card.pan) && !text.includes('password'), kind)
    const [head = '', body = ''] = text.split('\r\n\r\n')
    assert.match(head, new RegExp(`\\r\\ncontent-length: ${String(Buffer.byteLength(body))}(\\r\\n|$)`), kind)
    assert.match(JSON.stringify(JSON.parse(body)), /"0399"|"card_exp_month":"03","card_exp_year":"99"/, kind)
  }
})

test('a reply is a result only with what was asked for', () => {
  const vault = vaultApis['hyperswitch-card-vault']
  const reply = (body: string, status = 200) => ({ status, body })
  assert.equal(vault.referenceOf(reply('{"status":"Ok","payload":{"card_reference":"a1","duplication_check":null}}')), 'a1')
  assert.equal(vault.referenceOf(reply('{"status":"Ok","payload":null}')), null)
  assert.equal(vault.isRead(reply('{"status":"Ok","payload":{"card":{"card_number":"8600140000000006"}}}')), true)
  assert.equal(vault.isRead(reply('{"message":"not found"}', 404)), false)
  assert.equal(vaultApis.tessera.referenceOf(reply('{"result":{"card":{"token":"t_1"}}}')), 't_1')
  assert.equal(vaultApis.tessera.referenceOf(reply('{"error":{"reason":"overloaded"}}', 503)), null)
})

test('other vaults are read from the options, and what is wrong with them is said', () => {
  const none = { vault: [], process: [], database: [], login: [] }
  const url = 'http://127.0.0.1:3001'
  assert.deepEqual(readForeignVaults({ ...none, vault: [`hyperswitch-card-vault=${url}`], process: ['hyperswitch-card-vault=12,13'] }), [
    { kind: 'hyperswitch-card-vault', url, pids: [12, 13], databaseUrl: null, xAuth: ':' },
  ])
  for (const [given, message] of [
    [{ vault: ['vgs=http://127.0.0.1'] }, /--vault takes <kind>=<value>, where the kind is one of tessera, .*; not "vgs=/],
    [{ vault: ['tessera=https://127.0.0.1'] }, /without TLS, which no vault here has; not "https/],
    [{ vault: [`tessera=${url}`, `tessera=${url}`] }, /--vault names tessera twice/],
    [{ process: ['tessera=1'] }, /No --vault names tessera/],
    [{ vault: [`tessera=${url}`], process: ['tessera=me'] }, /--process takes <kind>=<pid>.* not "me"/],
  ] as const)
    assert.throws(() => readForeignVaults({ ...none, ...given }), message)
  const { status, stderr } = spawnSync(process.execPath, [program, '--rounds', 'many'], { encoding: 'utf8' })
  assert.deepEqual([status, stderr], [64, '--rounds takes a whole number above 0, not "many".\n'])
})

test('a database whose COMMIT does not wait for the disk is recognized', () => {
  const safe = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', wal_sync_method: 'fdatasync' }
  assert.deepEqual(describeUnsafe({ settings: safe, isInMemory: true }), [])
  assert.deepEqual(describeUnsafe({ settings: { ...safe, synchronous_commit: 'off' }, isInMemory: false }), ['synchronous_commit is off'])
})

test('the table has a column for each vault, and says what is not known of one', () => {
  const interval = { low: 1.9, high: 2.1, confidence: 0.9609375, rounds: 9 }
  const lines = formatVaultMeasures(
    [
      { of: 'read, tessera', name: 'calls', value: 15_000, unit: '/s' },
      { of: 'read, tessera', name: 'CPU of the vault', value: 85, unit: 'µs a call' },
      { of: 'read, floor', name: 'calls', value: 20_000, unit: '/s' },
      { of: 'read, tessera', name: 'p99', value: 2, unit: 'of floor', interval },
    ],
    ['tessera', 'floor'],
  )
  assert.deepEqual(lines.split('\n'), [
    'read                         tessera      floor',
    'calls, /s                     15,000     20,000',
    'CPU of the vault, µs a call       85  not known',
    'p99 of tessera: 2 of floor, 1.90 to 2.10 (96 %, 9 rounds)',
  ])
})

const program = fileURLToPath(new URL('main.ts', import.meta.url))
