import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import {
  AdapterConfigError,
  createAdapter,
  findAdapterFaults,
  listAdapterSettings,
  secretFileSetting,
  textFileSetting,
  textSetting,
  type AdapterTable,
} from './adapter.ts'
import { kekAdapters } from './kms/kek-adapters.ts'
import { networkAdapters } from './network/network-adapters.ts'
import { sandboxSms } from './sandbox/sms.ts'
import { exampleGatewaySms } from './sms/example-gateway.ts'
import { smsAdapters } from './sms/sms-adapters.ts'
import { transportSettings } from './transport.ts'
import { findTransportFaults, listPrivateTransports } from '../ops/config/private-transports.ts'

const folder = mkdtempSync(join(tmpdir(), 'tessera-adapter-'))
after(() => rmSync(folder, { recursive: true }))

/** A port whose adapters return their settings. */
const echoes: AdapterTable<{ readonly name: string; readonly settings: object }, object> = {
  port: 'echo',
  defaultForTest: 'plain',
  meaning: 'An echo.',
  adapters: [
    { name: 'plain', isForTestOnly: true, settings: {}, create: ({ settings }) => ({ name: 'plain', settings }) },
    {
      name: 'loud',
      isForTestOnly: false,
      settings: { greeting: textSetting('The greeting.'), keyFile: secretFileSetting('The key.') },
      create: ({ settings }) => ({ name: 'loud', settings }),
    },
  ],
}

test('a port has a setting that chooses the adapter, and each adapter has its own settings', () => {
  assert.deepEqual(
    listAdapterSettings(echoes).map(({ env, flag }) => [env, flag]),
    [
      ['TESSERA_ECHO', '--echo'],
      ['TESSERA_ECHO_LOUD_GREETING', '--echo-loud-greeting'],
      ['TESSERA_ECHO_LOUD_KEY_FILE', '--echo-loud-key-file'],
    ],
  )
})

test('the test environment has a default, production has none', () => {
  assert.equal(createAdapter(echoes, { environment: 'test', values: {} }, {}).name, 'plain')
  assert.deepEqual(findAdapterFaults(echoes, { environment: 'production', values: {} }), [
    'missing: TESSERA_ECHO is not set; choose one of loud.',
  ])
})

test('production refuses every adapter that is for tests only', () => {
  for (const table of [kekAdapters, networkAdapters, smsAdapters] as AdapterTable<unknown, never>[]) {
    for (const { name, isForTestOnly } of table.adapters) {
      const faults = findAdapterFaults(table, { environment: 'production', values: { [table.port]: name } })
      assert.equal(
        faults.some((fault) => fault.startsWith('forbidden:')),
        isForTestOnly,
        `${table.port}=${name}`,
      )
    }
  }
})

test('an adapter with missing settings is refused, and each of them is named', () => {
  assert.deepEqual(findAdapterFaults(echoes, { environment: 'production', values: { echo: 'loud' } }), [
    'missing: TESSERA_ECHO_LOUD_GREETING is not set, and TESSERA_ECHO=loud needs it.',
    'missing: TESSERA_ECHO_LOUD_KEY_FILE is not set, and TESSERA_ECHO=loud needs it.',
  ])
})

test('a secret is read from a private file and never appears in an error', () => {
  const path = join(folder, 'key')
  const create = () =>
    createAdapter(echoes, { environment: 'production', values: { echo: 'loud', echoLoudGreeting: 'hi', echoLoudKeyFile: path } }, {})
  assert.throws(create, AdapterConfigError)
  writeFileSync(path, 'very-secret\n', { mode: 0o600 })
  assert.deepEqual(create().settings, { greeting: 'hi', keyFile: 'very-secret' })
  writeFileSync(path, 'very-secret\nanother\n')
  assert.throws(create, (err: Error) => err instanceof AdapterConfigError && !err.message.includes('very-secret'))
  if (process.platform === 'win32') return
  writeFileSync(path, 'very-secret\n')
  chmodSync(path, 0o644)
  assert.throws(create, /chmod 600/)
})

test('settings that do not fit together are refused before the adapter is created, once each of them is valid', () => {
  let created = 0
  const pairs: AdapterTable<object, object> = {
    port: 'pair',
    defaultForTest: 'both',
    meaning: 'A pair.',
    adapters: [
      {
        name: 'both',
        isForTestOnly: false,
        settings: { left: textSetting('The left.'), right: textFileSetting('The right.') },
        checkSettings({ left, right }) {
          if (left !== right) throw new AdapterConfigError('left and right differ.')
        },
        create: () => ({ number: (created += 1) }),
      },
    ],
  }
  const path = join(folder, 'right')
  const faultsOf = () =>
    findAdapterFaults(pairs, { environment: 'production', values: { pair: 'both', pairBothLeft: 'a', pairBothRight: path } })
  assert.deepEqual(faultsOf(), [`forbidden: TESSERA_PAIR_BOTH_RIGHT: the file ${path} cannot be read (ENOENT).`])
  writeFileSync(path, 'b')
  assert.deepEqual(faultsOf(), ['forbidden: TESSERA_PAIR=both: left and right differ.'])
  writeFileSync(path, 'a')
  assert.deepEqual(faultsOf(), [])
  assert.equal(created, 0)
})

test('the skeleton of the guide can be chosen once it is added to the table', () => {
  const table = { ...smsAdapters, adapters: [sandboxSms, exampleGatewaySms] }
  assert.deepEqual(
    listAdapterSettings(table).map(({ env }) => env),
    ['TESSERA_SMS', 'TESSERA_SMS_EXAMPLE_URL', 'TESSERA_SMS_EXAMPLE_TOKEN_FILE'],
  )
})

test('the guide shows the skeleton as it is compiled and tested', () => {
  const guide = readFileSync(new URL('../../../docs/guides/write-an-adapter.md', import.meta.url), 'utf8')
  const skeleton = readFileSync(new URL('./sms/example-gateway.ts', import.meta.url), 'utf8')
  assert.ok(guide.includes(`\`\`\`ts\n${skeleton}\`\`\``), 'copy sms/example-gateway.ts into docs/guides/write-an-adapter.md')
})

/** A port with one adapter that reaches two peers. */
const lines: AdapterTable<{ readonly settings: object }, object> = {
  port: 'line',
  defaultForTest: 'plain',
  meaning: 'A line.',
  adapters: [
    {
      name: 'tcp',
      isForTestOnly: false,
      settings: { ...transportSettings('the gateway') },
      create: ({ settings }) => ({ settings }),
    },
  ],
}

test('an adapter is told how its peer is reached: with TLS, unless the operator declares a private line and says why', () => {
  const settings = listAdapterSettings(lines)
  assert.deepEqual(
    settings.map(({ env }) => env),
    ['TESSERA_LINE', 'TESSERA_LINE_TCP_TRANSPORT', 'TESSERA_LINE_TCP_PRIVATE_REASON'],
  )
  const create = (values: Record<string, string | null>): object =>
    createAdapter(lines, { environment: 'production', values: { line: 'tcp', ...values } }, {}).settings
  assert.deepEqual(create({ lineTcpTransport: 'tls', lineTcpPrivateReason: null }), { transport: 'tls', privateReason: null })
  const declared = { lineTcpTransport: 'private', lineTcpPrivateReason: 'a cable between two machines of one rack' }
  assert.deepEqual(create(declared), { transport: 'private', privateReason: declared.lineTcpPrivateReason })
  assert.deepEqual(listPrivateTransports(settings, { lineTcpTransport: 'tls' }), [])
  assert.deepEqual(listPrivateTransports(settings, declared), [
    { env: 'TESSERA_LINE_TCP_TRANSPORT', reason: declared.lineTcpPrivateReason },
  ])
  assert.deepEqual(findTransportFaults(settings, declared), [])
  assert.deepEqual(findTransportFaults(settings, { lineTcpTransport: 'private', lineTcpPrivateReason: null }), [
    'missing: TESSERA_LINE_TCP_PRIVATE_REASON is not set; say why the line of TESSERA_LINE_TCP_TRANSPORT=private needs no TLS.',
  ])
})
