import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'

import { makeScratch, runTessera } from '../../testing/child.fixture.ts'
import { runAtTerminal, type TypedLine } from '../../testing/terminal.fixture.ts'
import { readConfig } from '../config/config.ts'
import type { DoctorFinding } from './doctor-finding.ts'

const scratch = makeScratch()
const freshFolder = (): string => mkdtempSync(join(scratch, 'init-'))

const provider = [
  '--provider-name=Tessera Test',
  '--provider-address=1 Amir Temur, Tashkent',
  '--provider-url=https://provider.example',
  '--terms-url=https://provider.example/terms',
  '--privacy-url=https://provider.example/privacy',
  `--disclosure=${JSON.stringify({ version: '1', en: 'a', ru: 'b', uz: 'c' })}`,
]
const hosts = ['--form-origin=https://pay.provider.example', '--dashboard-origin=https://merchants.provider.example']

/** Peers that do not respond. */
const peers = [
  '--kek=transit',
  '--kek-transit-url=https://127.0.0.1:1',
  '--kek-transit-token-file=/nowhere',
  '--sms=http',
  '--sms-http-template=kannel',
  '--sms-http-base-url=https://127.0.0.1:1',
  '--sms-http-username=tessera',
  '--sms-http-password-file=/nowhere',
  '--sms-http-sender=4546',
  '--network=iso8583',
  '--network-iso8583-host=127.0.0.1',
  '--network-iso8583-port=1',
  '--network-iso8583-routes=8600',
  '--network-iso8583-terminal-id=1',
  '--network-iso8583-acceptor-id=1',
]

interface InitResult {
  readonly config: string
  readonly secrets: readonly string[]
  readonly findings: readonly DoctorFinding[]
  readonly missing: readonly string[]
}

test('init writes a config file without secrets, which a start reads, and says what is missing and what does not respond', async () => {
  const folder = freshFolder()
  const output = join(folder, 'tessera.json')
  const databases = ['cards', 'keys'].map((name) => `postgres://tessera:hunter2@127.0.0.1:1/${name}?sslmode=verify-full`)
  const given = [`--database-url=${databases[0]}`, `--keys-database-url=${databases[1]}`, `--data=${join(folder, 'data')}`]
  const { code, out } = await runTessera(['init', '--json', `--output=${output}`, ...hosts, ...provider, ...given]).ended
  assert.equal(code, 1)
  const result = JSON.parse(out) as InitResult

  assert.ok(!readFileSync(output, 'utf8').includes('hunter2') && !out.includes('hunter2'))
  assert.deepEqual(readdirSync(join(folder, 'secrets')).sort(), ['database-url', 'keys-database-url'])
  for (const path of [output, ...result.secrets]) assert.equal(statSync(path).mode & 0o777, 0o600, path)
  const { config } = readConfig([`--config=${output}`], {})
  assert.deepEqual([config.environment, config.databaseUrl, config.keysDatabaseUrl], ['production', ...databases])
  assert.deepEqual([config.providerName, config.formOrigin], ['Tessera Test', 'https://pay.provider.example'])

  assert.ok(result.missing.some((each) => each.startsWith('missing: TESSERA_KEK is not set')))
  assert.ok(!result.missing.some((each) => each.includes('PROVIDER') || each.includes('ORIGIN')), result.missing.join('\n'))
  assert.deepEqual(
    result.findings.filter(({ check }) => check === 'database').map(({ ok }) => ok),
    [false],
  )
})

test('init connects to the gateway that a template names, sends nothing, and says what it found', async (t) => {
  let received = 0
  const gateway = createServer((socket) => void socket.on('data', ({ length }) => (received += length)).on('error', () => undefined))
  gateway.listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  t.after(() => gateway.close())
  const folder = freshFolder()
  const template = join(folder, 'own.json')
  const address = `http://127.0.0.1:${String((gateway.address() as AddressInfo).port)}`
  const send = { request: { method: 'POST', path: '/send' }, accepted: [{ status: [200] }], rejected: [{ status: [400] }] }
  writeFileSync(template, JSON.stringify({ name: 'own', baseUrl: address, send }))
  const sms = ['--sms=http,http2', `--sms-http-template=${template}`, '--sms-http-transport=private', '--sms-http-private-reason=loopback']
  const closed = ['--sms-http2-template=kannel', '--sms-http2-base-url=https://127.0.0.1:1']
  const { out } = await runTessera(['init', '--json', `--output=${join(folder, 'tessera.json')}`, ...hosts, ...sms, ...closed]).ended
  const found = (JSON.parse(out) as InitResult).findings.filter(({ check }) => check.startsWith('TESSERA_SMS'))
  assert.deepEqual(
    found.map(({ check, ok }) => [check, ok]),
    [
      ['TESSERA_SMS=http', true],
      ['TESSERA_SMS=http2', false],
    ],
  )
  assert.equal(found[0]?.found, `${address.slice('http://'.length)} reached, without TLS; user and password are tried by tessera sms test`)
  assert.match(found[1]?.found ?? '', /^127\.0\.0\.1:1 \(ECONNREFUSED\)$/)
  assert.equal(received, 0)
})

test('init overwrites neither a config file nor a secret', async () => {
  const folder = freshFolder()
  const output = join(folder, 'tessera.json')
  writeFileSync(output, 'mine')
  const again = await runTessera(['init', `--output=${output}`, ...hosts]).ended
  assert.deepEqual([again.code, readFileSync(output, 'utf8')], [73, 'mine'])
  assert.match(again.err, /exists, and is not overwritten/)

  const secrets = freshFolder()
  writeFileSync(join(secrets, 'database-url'), 'mine')
  const other = join(folder, 'other.json')
  const url = '--database-url=postgres://u@127.0.0.1:1/x'
  const refused = await runTessera(['init', `--output=${other}`, `--secrets=${secrets}`, url]).ended
  assert.deepEqual([refused.code, existsSync(other), readFileSync(join(secrets, 'database-url'), 'utf8')], [73, false, 'mine'])
})

const typeAt = (args: readonly string[], typed: readonly TypedLine[]) => runAtTerminal(['init', ...args], typed)

test('at a terminal init asks for what is not given, repeats a question whose answer is wrong, and never shows a secret', async () => {
  const folder = freshFolder()
  const output = join(folder, 'tessera.json')
  const { shown, answered } = await typeAt(
    [`--output=${output}`, '--form-origin=https://pay.provider.example', ...peers, ...provider],
    [
      [/Origin of the merchants' dashboard.*> $/s, 'merchants\r'],
      [/Expected an origin.*> $/s, 'https://merchants.provider.example\r'],
      [/Origin of the API.*> $/s, 'https://merchants.provider.example/api\r'],
      [/Expected an origin.*> $/s, 'https://api.provider.example\r'],
      [/certificate chain.*empty: TLS ends in a proxy.*> $/s, `${join(folder, 'cert.pem')}\r`],
      [/private key of that certificate.*> $/s, '\r'],
      [/Expected a path.*> $/s, `${join(folder, 'key.pem')}\r`],
      [/proxies in front.*> $/s, '\r'],
      [/Data folder.*> $/s, `${join(folder, 'data')}\r`],
      [/PostgreSQL of the cards.*> $/s, 'postgres://u:hunter2@127.0.0.1:1/cards\r'],
      [/PostgreSQL of the keys.*> $/s, 'postgres://u:hunter2@127.0.0.1:1/keys\r'],
      [/declare the line private.*> $/s, 'private\r'],
      [/Why that line needs no TLS.*> $/s, 'one machine\r'],
      [/Private networks.*> $/s, '10.20.0.0/16\r'],
    ],
  )
  assert.equal(answered, 14, shown)
  assert.ok(!shown.includes('hunter2'), 'a secret is not shown')
  const { config } = readConfig([`--config=${output}`], {})
  assert.deepEqual(
    [config.dashboardOrigin, config.databaseTransport, config.databasePrivateReason, config.outboundNetworks],
    ['https://merchants.provider.example', 'private', 'one machine', ['10.20.0.0/16']],
  )
  assert.deepEqual(
    [config.apiOrigin, config.tlsCertFile, config.tlsKeyFile],
    ['https://api.provider.example', join(folder, 'cert.pem'), join(folder, 'key.pem')],
  )
  assert.match(shown, /FIX +TLS +TESSERA_TLS_CERT_FILE names .*cert\.pem, which cannot be read \(ENOENT\)/)
  assert.equal(config.databaseUrl, 'postgres://u:hunter2@127.0.0.1:1/cards')
  assert.ok(!readFileSync(output, 'utf8').includes('hunter2'))
})

test('at a terminal init takes the secret of a file that does not exist yet, writes it with mode 600, and says what comes next', async () => {
  const folder = freshFolder()
  const output = join(folder, 'tessera.json')
  const given = peers.filter((flag) => !/^--(sms-http-password-file|kek)/.test(flag))
  const { shown, answered } = await typeAt(
    [`--output=${output}`, ...hosts, ...provider, ...given, '--kek=shares', '--tls-cert-file=/nowhere', '--tls-key-file=/nowhere'],
    [
      [/Origin of the API.*> $/s, '\r'],
      [/proxies in front.*> $/s, '\r'],
      [/Data folder.*> $/s, `${join(folder, 'data')}\r`],
      [/PostgreSQL of the cards.*what you type is not shown.*> $/s, '\r'],
      [/password.*Its path, not the secret itself \[.*sms-http-password\].*> $/s, '\r'],
      [/sms-http-password does not exist\. The secret, which is not shown.*> $/s, 'hunter2\r'],
      [/Private networks.*> $/s, '\r'],
    ],
  )
  assert.equal(answered, 7, shown)
  const path = join(folder, 'secrets', 'sms-http-password')
  assert.deepEqual([readFileSync(path, 'utf8'), statSync(path).mode & 0o777], ['hunter2\n', 0o600])
  assert.ok(!shown.includes('hunter2') && !readFileSync(output, 'utf8').includes('hunter2'))
  assert.equal((JSON.parse(readFileSync(output, 'utf8')) as Record<string, unknown>)['smsHttpPasswordFile'], path)
  assert.match(
    shown,
    /tessera doctor --production --config .*tessera start --config .*sealed until custodians.*keys init --config .* --shares 5 --threshold 3/s,
  )
})

test('Ctrl-C at a question writes nothing', async () => {
  const folder = freshFolder()
  const output = join(folder, 'tessera.json')
  const { code, shown } = await typeAt(
    [`--output=${output}`],
    [
      [/Origin of the card form.*> $/s, 'https://pay.provider.example\r'],
      [/Origin of the merchants' dashboard.*> $/s, '\u0003'],
    ],
  )
  assert.deepEqual([code, existsSync(output)], [130, false], shown)
  assert.match(shown, /interrupted: nothing was written/)
})
