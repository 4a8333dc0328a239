import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { generateNodeKey } from '@tessera/vault/node-key'

import { makeAuthority } from '../adapters/http/certificate.fixture.ts'
import { ExitError } from '../ops/exits.ts'
import { defaultConfig } from '../testing/default-config.fixture.ts'

import { nodeKeyPath, readHandOverSettings } from './hand-over.ts'

const folder = mkdtempSync(join(tmpdir(), 'tessera-hand-over-'))
after(() => rmSync(folder, { recursive: true }))

const authority = makeAuthority('nodes')
const files = {
  handOverCertFile: join(folder, 'cert.pem'),
  handOverKeyFile: join(folder, 'key.pem'),
  handOverCaFile: join(folder, 'ca.pem'),
}
const { cert, key } = authority.certify('localhost')
writeFileSync(files.handOverCertFile, cert)
writeFileSync(files.handOverKeyFile, key, { mode: 0o600 })
writeFileSync(files.handOverCaFile, authority.cert)

function read(settings: Partial<typeof defaultConfig>) {
  return readHandOverSettings({ ...defaultConfig, dataFolder: folder, ...settings }, Date.now())
}

test('without port and peers there is no hand-over, and with them every file that is missing or unusable is refused with its reason', () => {
  assert.equal(read({}), null)
  assert.equal(read({ ...files, handOverPort: 8443 })?.port, 8443)
  const refused: [Partial<typeof defaultConfig>, RegExp][] = [
    [{ handOverPort: 8443 }, /by mutual TLS only, and a file for it is not set/],
    [{ ...files, handOverCaFile: null, handOverPort: 8443 }, /by mutual TLS only/],
    [
      { ...files, handOverCaFile: join(folder, 'missing'), handOverPort: 8443 },
      /TESSERA_HAND_OVER_CA_FILE names .* cannot be read \(ENOENT\)/,
    ],
    [{ ...files, handOverKeyFile: files.handOverCertFile, handOverPort: 8443 }, /TESSERA_HAND_OVER_KEY_FILE/],
    [{ ...files, handOverPeers: 'node-a' }, /"node-a" of TESSERA_HAND_OVER_PEERS is not host:port/],
    [{ ...files, handOverPeers: 'node-a:99999' }, /is not host:port/],
    [{ ...files, handOverPeers: 'node-a:8443' }, /this node has no key in /],
  ]
  for (const [settings, reason] of refused)
    assert.throws(
      () => read(settings),
      (err: unknown) => err instanceof ExitError && reason.test(err.what),
      JSON.stringify(settings),
    )
})

test('the peers and the node key are read, and a node key that others can read, or that is damaged, is refused', () => {
  const made = generateNodeKey('node-b')
  writeFileSync(nodeKeyPath(folder), made.file, { mode: 0o600 })
  const settings = read({ ...files, handOverPeers: 'node-a:8443, [::1]:8444,10.0.0.2:1' })
  assert.deepEqual(settings?.peers, [
    { host: 'node-a', port: 8443 },
    { host: '::1', port: 8444 },
    { host: '10.0.0.2', port: 1 },
  ])
  assert.equal(settings.key?.publicKey, made.key.publicKey)
  chmodSync(nodeKeyPath(folder), 0o640)
  assert.throws(() => read({ ...files, handOverPeers: 'node-a:8443' }), /other users can read/)
  chmodSync(nodeKeyPath(folder), 0o600)
  writeFileSync(nodeKeyPath(folder), '{}')
  assert.throws(() => read({ ...files, handOverPeers: 'node-a:8443' }), /is damaged/)
})
