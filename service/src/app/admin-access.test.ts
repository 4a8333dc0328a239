import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { makeAuthority } from '../adapters/http/certificate.fixture.ts'
import { readConfig } from '../ops/config/config.ts'
import { readAdminAccess } from './admin-access.ts'

const folder = mkdtempSync(join(tmpdir(), 'tessera-admin-'))
after(() => rmSync(folder, { recursive: true }))
const token = 'k'.repeat(32)
const read = (...flags: string[]) => readAdminAccess(readConfig(flags, {}).config, Date.now())

test('loopback needs no proof; any other address needs a token or client certificates, and says so', () => {
  for (const host of ['127.0.0.1', '127.3.2.1', 'localhost', '::1'])
    assert.deepEqual(read(`--admin-host=${host}`), { isLoopback: true, token: null, tls: null })
  for (const host of ['0.0.0.0', '::', '10.0.0.5', 'localhost.example', '127.0.0.1.example'])
    assert.throws(
      () => read(`--admin-host=${host}`),
      /neither a token nor client certificates are required there\. Set TESSERA_ADMIN_TOKEN_FILE/,
    )
  assert.deepEqual(read('--admin-host=0.0.0.0', `--admin-token=${token}`), { isLoopback: false, token, tls: null })
})

test('a token comes from a file or the environment, and a short or ambiguous one is refused without being shown', () => {
  const path = write('token', `${token}\n`)
  assert.equal(read('--admin-host=::', `--admin-token-file=${path}`).token, token)
  assert.equal(readAdminAccess(readConfig([], { TESSERA_ADMIN_TOKEN: token }).config, Date.now()).token, token)
  assert.throws(
    () => read('--admin-token=hunter2hunter2'),
    (err: Error) => /TESSERA_ADMIN_TOKEN is not usable/.test(err.message) && !err.message.includes('hunter2'),
  )
  assert.throws(() => read(`--admin-token-file=${write('empty', '')}`), /TESSERA_ADMIN_TOKEN_FILE is not usable/)
  assert.throws(() => read(`--admin-token-file=${join(folder, 'none')}`), /cannot be read \(ENOENT\)/)
  assert.throws(() => read(`--admin-token=${token}`, `--admin-token-file=${path}`), /both set/)
})

test('client certificates need the certificate and key of the listener, and files that are usable', () => {
  const authority = makeAuthority('monitoring')
  const { cert, key } = authority.certify('admin.example')
  const [certificate, ownKey, ca] = [write('cert', cert), write('key', key), write('ca', authority.cert)]
  const tls = [`--admin-tls-certificate=${certificate}`, `--admin-tls-key=${ownKey}`]
  assert.equal(read('--admin-host=0.0.0.0', ...tls, `--admin-tls-client-ca=${ca}`).tls?.clientCa?.toString(), authority.cert)
  // https alone does not say who asks.
  assert.throws(() => read('--admin-host=0.0.0.0', ...tls), /neither a token nor client certificates/)
  assert.throws(() => read('--admin-host=0.0.0.0', `--admin-tls-client-ca=${ca}`), /are needed together/)
  assert.throws(
    () => read(tls[0] ?? '', `--admin-tls-key=${write('foreign', authority.certify('x').key)}`),
    /The key of TESSERA_ADMIN_TLS_KEY is not that of the certificate of TESSERA_ADMIN_TLS_CERTIFICATE/,
  )
  assert.throws(
    () => read(...tls, `--admin-tls-client-ca=${write('junk', 'junk')}`),
    /TESSERA_ADMIN_TLS_CLIENT_CA names .*, which is no certificate/,
  )
})

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}
