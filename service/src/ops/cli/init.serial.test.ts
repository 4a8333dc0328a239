import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { makeScratch, runTessera } from '../../testing/child.fixture.ts'
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

/** Runs init at a terminal of script(1), types each line when its prompt has come, and returns what the terminal showed. */
async function typeAt(folder: string, args: readonly string[], typed: readonly (readonly [prompt: RegExp, line: string])[]) {
  const command = [process.execPath, join(process.cwd(), 'service/bin/tessera.mjs'), 'init', ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', command, join(folder, 'typescript')], { stdio: ['pipe', 'pipe', 'inherit'] })
  let shown = ''
  let next = 0
  let from = 0
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk
    const [prompt, line] = typed[next] ?? []
    if (prompt?.test(shown.slice(from)) !== true) return
    next += 1
    from = shown.length
    child.stdin.write(line ?? '')
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, shown, answered: next }
}

test('at a terminal init asks for what is not given, repeats a question whose answer is wrong, and never shows a secret', async () => {
  const folder = freshFolder()
  const output = join(folder, 'tessera.json')
  const { shown, answered } = await typeAt(
    folder,
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

test('Ctrl-C at a question writes nothing', async () => {
  const folder = freshFolder()
  const output = join(folder, 'tessera.json')
  const { code, shown } = await typeAt(
    folder,
    [`--output=${output}`],
    [
      [/Origin of the card form.*> $/s, 'https://pay.provider.example\r'],
      [/Origin of the merchants' dashboard.*> $/s, '\u0003'],
    ],
  )
  assert.deepEqual([code, existsSync(output)], [130, false], shown)
  assert.match(shown, /interrupted: nothing was written/)
})
