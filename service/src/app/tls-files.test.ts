import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { makeAuthority } from '../adapters/http/certificate.fixture.ts'
import { readConfig } from '../ops/config/config.ts'

import { readListenerTls, TlsRefused, type TlsRefusal } from './tls-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'tessera-tls-'))
after(() => rmSync(folder, { recursive: true }))
const authority = makeAuthority('an authority')
const own = authority.certify('pay.example', 30, { others: ['merchants.example'] })
const [cert, key] = [write('cert', own.cert), write('key', own.key)]
const now = Date.now()

function write(name: string, text: string, mode = 0o600): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

function read(certFile: string | null, keyFile: string | null, flags: readonly string[] = [], at = now) {
  const files = [...(certFile === null ? [] : [`--tls-cert-file=${certFile}`]), ...(keyFile === null ? [] : [`--tls-key-file=${keyFile}`])]
  return readListenerTls(readConfig([...files, ...flags], {}).config, at)
}

test('a certificate with its key is read with its names and its end; without the settings there is none', () => {
  const files = read(cert, key)
  assert.ok(files !== null)
  assert.deepEqual([files.certificate.toString(), files.key.toString()], [own.cert, own.key])
  assert.equal(files.names, 'DNS:pay.example, DNS:merchants.example')
  assert.equal(Math.round((files.validUntil - now) / 3_600_000), 30 * 24)
  assert.equal(read(null, null), null)
})

test('what cannot be used is refused, each with its reason', () => {
  const day = 24 * 3_600_000
  const encrypted = createPrivateKey(own.key).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
  const short = authority.certify('pay.example', 30, { rsaBits: 1024 })
  const cases: [TlsRefusal, () => unknown, RegExp][] = [
    ['one_setting', () => read(cert, null), /TESSERA_TLS_CERT_FILE is set, and TESSERA_TLS_KEY_FILE is not/],
    ['one_setting', () => read(null, key), /TESSERA_TLS_KEY_FILE is set, and TESSERA_TLS_CERT_FILE is not/],
    ['unreadable', () => read(join(folder, 'none'), key), /TESSERA_TLS_CERT_FILE names .* cannot be read \(ENOENT\)/],
    ['unreadable', () => read(cert, join(folder, 'none')), /TESSERA_TLS_KEY_FILE names .* cannot be read \(ENOENT\)/],
    ['open_to_others', () => read(cert, write('open', own.key, 0o640)), /other users may read\. chmod 600/],
    ['no_certificate', () => read(key, key), /TESSERA_TLS_CERT_FILE names .* no certificate/],
    ['no_key', () => read(cert, write('copy', own.cert)), /TESSERA_TLS_KEY_FILE names .* no private key/],
    ['passphrase', () => read(cert, write('locked', encrypted.toString())), /has a passphrase\. Remove it/],
    ['other_key', () => read(cert, write('other', authority.certify('x').key)), /is not that of the certificate/],
    ['expired', () => read(cert, key, [], now + 31 * day), /expired on 20\d\d-\d\d-\d\d\. Renew it/],
    ['not_yet_valid', () => read(cert, key, [], now - 2 * day), /not valid before 20\d\d.*clock/],
    ['unusable', () => read(write('short', short.cert), write('short-key', short.key)), /cannot be used: .*key too small/],
    [
      'other_name',
      () => read(cert, key, ['--api-origin=https://api.example']),
      /is for DNS:pay\.example.* not for api\.example of TESSERA_API_ORIGIN/,
    ],
  ]
  for (const [reason, attempt, message] of cases) {
    assert.throws(
      attempt,
      (err) => err instanceof TlsRefused && err.reason === reason && err.exit === 'invalidSettings' && message.test(err.message),
      reason,
    )
  }
})

test('the hosts of form, dashboard and API are in the certificate, unless a proxy in front shows its own', () => {
  const origins = ['--form-origin=https://pay.example', '--dashboard-origin=https://merchants.example']
  assert.notEqual(read(cert, key, origins), null)
  assert.notEqual(read(cert, key, ['--form-origin=http://other.example']), null)
  const other = ['--form-origin=https://other.example']
  assert.throws(() => read(cert, key, other), /not for other\.example of TESSERA_FORM_ORIGIN/)
  assert.notEqual(read(cert, key, [...other, '--trusted-proxies=10.0.0.7']), null)
})
