import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'

import { effectiveSettings, printSettings } from './help.ts'
import { InvalidSettingsError } from './sources.ts'
import { readConfig, settings } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'tessera-config-'))
after(() => rmSync(folder, { recursive: true }))

function file(members: unknown): string {
  const path = join(folder, `${Math.random().toString(36).slice(2)}.json`)
  writeFileSync(path, typeof members === 'string' ? members : JSON.stringify(members))
  return path
}

function faultsOf(args: readonly string[], environment: NodeJS.ProcessEnv = {}): readonly string[] {
  try {
    readConfig(args, environment)
  } catch (err) {
    assert.ok(err instanceof InvalidSettingsError)
    return err.faults
  }
  return assert.fail('these settings were taken')
}

test('with nothing said every setting has its default', () => {
  const { config, origins } = readConfig([], {})
  assert.deepEqual([config.environment, config.host, config.port, config.adminPort], ['test', '127.0.0.1', 8080, 8081])
  assert.equal(config.dataFolder, resolve('data'))
  assert.deepEqual(
    [config.verificationPolicy, config.otpLifetimeSeconds, config.otpAttemptsMax, config.resendWaitSeconds, config.cardDayAttemptsMax],
    ['specification', null, null, null, 15],
  )
  assert.deepEqual([config.databaseUrl, config.limits, config.disclosure], [null, null, null])
  assert.ok(Object.values(origins).every((origin) => origin === 'default'))
})

test('a flag wins over the environment, the environment over the file, the file over the default', () => {
  const path = file({ port: 1001, adminPort: 1002, host: '10.0.0.1', drainSeconds: 20 })
  const read = readConfig(['--port', '3001', `--config=${path}`], { TESSERA_PORT: '2001', TESSERA_ADMIN_PORT: '2002' })
  assert.deepEqual([read.config.port, read.config.adminPort, read.config.host, read.config.drainSeconds], [3001, 2002, '10.0.0.1', 20])
  assert.deepEqual(
    [read.origins.port, read.origins.adminPort, read.origins.host, read.origins.otpAttemptsMax],
    ['flag', 'environment', 'file', 'default'],
  )
})

test('the config file is found by the environment too', () => {
  assert.equal(readConfig([], { TESSERA_CONFIG: file({ otpAttemptsMax: 3 }) }).config.otpAttemptsMax, 3)
})

test('words that are no flags are handed on', () => {
  assert.deepEqual(readConfig(['--port', '0', 'one', 'two'], {}).rest, ['one', 'two'])
})

test('a misspelt flag, variable or member is refused with the one that was meant', () => {
  assert.deepEqual(faultsOf(['--prot', '1']), ['--prot is not a setting. Did you mean --port?'])
  assert.deepEqual(faultsOf([], { TESSERA_DATABSE_URL: 'x' }), ['TESSERA_DATABSE_URL is not a setting. Did you mean TESSERA_DATABASE_URL?'])
  assert.match(
    faultsOf(['--config', file({ otpAttemptMax: 3 })])[0] ?? '',
    /^"otpAttemptMax" in .* is not a setting\. Did you mean otpAttemptsMax\?$/,
  )
})

test('variables of the tools and of other programs are let be', () => {
  assert.equal(
    readConfig([], {
      TESSERA_NODE: 'system',
      TESSERA_URL: 'http://127.0.0.1:8080',
      TESSERA_TEST_CITUS_URL: 'x',
      PATH: '/bin',
      TESSERA_PORT: '',
    }).config.port,
    8080,
  )
})

test('every bad value is named at once: the setting as it was written, what it got, what it wants', () => {
  const faults = faultsOf(['--port', '99999', '--limits', 'maybe'], { TESSERA_ENV: 'staging', TESSERA_OTP_LIFETIME_SECONDS: '1e2' })
  assert.deepEqual([...faults].sort(), [
    '--limits is "maybe"; expected on or off.',
    '--port is "99999"; expected a port from 0 to 65535.',
    'TESSERA_ENV is "staging"; expected test or production.',
    'TESSERA_OTP_LIFETIME_SECONDS is "1e2"; expected a whole number from 10 to 600.',
  ])
})

test('a port set by Kubernetes service links is explained', () => {
  assert.match(faultsOf([], { TESSERA_PORT: 'tcp://10.0.0.7:8080' })[0] ?? '', /enableServiceLinks: false/)
})

test('a bad secret is named and never shown', () => {
  const faults = faultsOf(['--database-url', 'mysql://u:hunter2@h/db'], { TESSERA_KEYS_DATABASE_URL: 'hunter2' })
  assert.equal(faults.length, 2)
  assert.ok(faults.every((fault) => !fault.includes('hunter2')))
})

test('a flag without its value, and a flag given twice, are refused', () => {
  assert.match(faultsOf(['--port'])[0] ?? '', /^--port is "";/)
  assert.deepEqual(faultsOf(['--port', '1', '--port', '2']), ['--port is given twice.'])
})

test('a config file that is missing, no JSON, no object or names itself is refused', () => {
  assert.match(faultsOf(['--config', join(folder, 'absent')])[0] ?? '', /cannot be read: ENOENT/)
  assert.match(faultsOf(['--config', file('port = 8080')])[0] ?? '', /it is not JSON/)
  assert.match(faultsOf(['--config', file(' \n')])[0] ?? '', /cannot be read: it is empty; without settings it has \{\}\.$/)
  assert.match(faultsOf(['--config', file([1])])[0] ?? '', /one JSON object/)
  assert.match(faultsOf(['--config', file({ configFile: 'x' })])[0] ?? '', /cannot be set in the config file itself/)
  assert.match(faultsOf(['--config', file(`"${'x'.repeat(70_000)}"`)])[0] ?? '', /larger than 65536 bytes/)
})

const disclosure = { version: '2026-01', en: 'We keep it.', ru: 'Мы храним.', uz: 'Saqlaymiz.' }

test('a disclosure is JSON in a flag and an object in the file, and wants all three languages', () => {
  assert.deepEqual(readConfig(['--disclosure', JSON.stringify(disclosure)], {}).config.disclosure, disclosure)
  assert.deepEqual(readConfig(['--config', file({ disclosure })], {}).config.disclosure, disclosure)
  assert.match(
    faultsOf(['--disclosure', JSON.stringify({ ...disclosure, uz: ' ' })])[0] ?? '',
    /expected JSON with the members version, en, ru and uz/,
  )
})

const origins = ['https://pay.example.uz/', 'https://PAY.example.uz', 'pay.example.uz', 'ftp://pay.example.uz', 'https://pay.example.uz/x']
for (const origin of origins) {
  test(`an origin is scheme, host and port alone: ${origin} is refused`, () => {
    assert.match(faultsOf(['--form-origin', origin])[0] ?? '', /expected an origin/)
  })
}

test('the help names every setting with its flag, variable, default and meaning', () => {
  const help = printSettings()
  for (const setting of settings) {
    assert.ok(help.includes(`  ${setting.flag} <`) && help.includes(setting.env) && help.includes(setting.meaning), setting.name)
    assert.ok(help.includes(`default ${setting.default === null ? 'none' : String(setting.default)}`), setting.name)
  }
  assert.equal(help.match(/^ {2}--/gm)?.length, settings.length)
})

test('names, variables and flags stand once each, and every default is one that would be taken', () => {
  for (const key of ['name', 'env', 'flag', 'meaning'] as const)
    assert.equal(new Set(settings.map((row) => row[key])).size, settings.length, key)
  for (const setting of settings) {
    assert.match(setting.name, /^[a-z][A-Za-z0-9]+$/)
    assert.match(setting.env, /^TESSERA_[A-Z0-9_]+$/)
    assert.match(setting.flag, /^--[a-z0-9-]+$/)
    assert.match(setting.meaning, /^[A-Z].*\.$/, 'one sentence')
    if (setting.default !== null) readConfig([setting.flag, String(setting.default)], {})
  }
})

test('what holds now says where it came from and masks secrets', () => {
  const shown = effectiveSettings(readConfig(['--database-url', 'postgres://u:hunter2@h/db'], { TESSERA_PORT: '9' }))
  assert.ok(!JSON.stringify(shown).includes('hunter2'))
  assert.deepEqual(
    shown.find((row) => row.name === 'databaseUrl'),
    { name: 'databaseUrl', env: 'TESSERA_DATABASE_URL', value: '(set, not shown)', from: 'flag' },
  )
  assert.equal(shown.find((row) => row.name === 'port')?.from, 'environment')
})

function secretFile(text: string, mode = 0o600): string {
  const path = file(text)
  chmodSync(path, mode)
  return path
}

test('a secret setting is read from a file that only its user can read', () => {
  const url = 'postgres://u:hunter2@h/db'
  const path = secretFile(`${url}\n`)
  const read = readConfig([], { TESSERA_CONFIG: file({ databaseUrlFile: path }) })
  assert.deepEqual([read.config.databaseUrl, read.origins['databaseUrl']], [url, 'secret file'])
  assert.ok(!JSON.stringify(effectiveSettings(read)).includes('hunter2'))
  assert.match(faultsOf(['--database-url-file', secretFile(url, 0o640)])[0] ?? '', /can be read by other users: chmod 600 it/)
  assert.match(
    faultsOf(['--database-url-file', join(folder, 'absent')])[0] ?? '',
    /^TESSERA_DATABASE_URL_FILE: .*cannot be read \(ENOENT\)/,
  )
  assert.match(faultsOf(['--database-url-file', secretFile(`${url}\n${url}`)])[0] ?? '', /exactly one line/)
  assert.deepEqual(faultsOf(['--database-url-file', path], { TESSERA_DATABASE_URL: url }), [
    'TESSERA_DATABASE_URL and TESSERA_DATABASE_URL_FILE are both set: remove one of them.',
  ])
  const [wrong = ''] = faultsOf(['--database-url-file', secretFile('mysql://u:hunter2@h/db')])
  assert.match(wrong, /^TESSERA_DATABASE_URL_FILE names .* whose line is not postgres:\/\//)
  assert.ok(!wrong.includes('hunter2'))
})

test('every secret setting can be given by a file', () => {
  for (const { name, secret } of settings) {
    if (secret !== true) continue
    assert.equal(settings.find((each) => each.name === `${name}File`)?.type, 'path', name)
  }
})
