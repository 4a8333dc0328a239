import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { maxPackLength } from '@tessera/contract/merchant-pack'

import { makeScratch, startTesseraChild, type Started } from '../../../testing/child.fixture.ts'

import { confirmationText, formatMerchantPack, isSignedMerchantPack, type MerchantPack, readOperatorSigner } from './merchant-pack.ts'

// The evidence that an operator signs for a merchant, against a started service.

const scratch = makeScratch()
const demo = '65f0c0ffee0000000000cafe'
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const [keyFile, openKeyFile, publicFile] = [join(scratch, 'key.pem'), join(scratch, 'open.pem'), join(scratch, 'key.pub')]
writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
writeFileSync(openKeyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o644 })
writeFileSync(publicFile, publicKey.export({ type: 'spki', format: 'pem' }), { mode: 0o600 })
let service: Started

before(async () => {
  service = await startTesseraChild(join(scratch, 'data'))
})
after(() => service.stop())

test('the pack of a merchant is signed by the key of the operator, is verified by its public key alone, and can be published', async () => {
  const folder = join(scratch, 'pack')
  const made = await service.ask(
    'evidence',
    '--merchant',
    demo,
    '--out',
    folder,
    '--signing-key',
    keyFile,
    '--publish',
    '--json',
    '--provider-name=Example Pay',
  )
  assert.equal(made.code, 0, made.err + made.out)
  const line = readFileSync(join(folder, 'evidence.json'), 'utf8')
  const pack = JSON.parse(line) as MerchantPack
  assert.match(pack.confirmation ?? '', /^Made in a test environment: it confirms nothing\. Example Pay confirms/)
  assert.equal(pack.form.scripts.length, 4)
  for (const { integrity } of pack.form.scripts) assert.match(integrity, /^sha(256|384)-/)
  assert.equal(pack.form.headers['x-content-type-options'], 'nosniff')
  for (const name of ['evidence.md', 'SHA256SUMS']) assert.ok(existsSync(join(folder, name)), name)

  const verify = (path: string) => service.ask('evidence', '--verify', path, '--key', publicFile)
  assert.equal((await verify(join(folder, 'evidence.json'))).code, 0)
  const forged = join(scratch, 'forged.json')
  writeFileSync(forged, line.replace('Example Pay confirms', 'Another Pay confirms'))
  assert.equal((await verify(forged)).code, 1)
})

test('without a key of the operator there is no confirmation, and nothing can be published', async () => {
  const folder = join(scratch, 'facts')
  assert.equal((await service.ask('evidence', '--merchant', demo, '--out', folder)).code, 0)
  const pack = JSON.parse(readFileSync(join(folder, 'evidence.json'), 'utf8')) as MerchantPack
  assert.equal(pack.confirmation, null)
  const refusals: [args: string[], message: RegExp][] = [
    [['--merchant', demo, '--publish'], /--signing-key/],
    [['--merchant', demo, '--signing-key', keyFile], /providerName/],
    [['--merchant', demo, '--signing-key', publicFile], /Ed25519 private key/],
    [['--merchant', demo, '--signing-key', openKeyFile], /Other users can read .*: chmod 600 it/],
    [['--merchant', demo, '--signing-key', join(scratch, 'none.pem')], /There is no file/],
    [['--merchant', '0'.repeat(24)], /There is no merchant/],
    [['--merchant', 'shop'], /24 hex digits/],
    [['--publish'], /--merchant/],
  ]
  for (const [index, [args, message]] of refusals.entries()) {
    const { code, err } = await service.ask('evidence', '--out', join(scratch, `refused-${String(index)}`), ...args)
    assert.ok(code === 64 || code === 78, err)
    assert.match(err, message)
  }
})

test('a pack with many scripts is cut to what can be published, and says how many are left out', () => {
  const script = {
    page: 'https://shop.example/pay',
    address: `https://cdn.example/${'a'.repeat(300)}.js`,
    fingerprint: 'sha256-x',
    reason: 'r',
    authorizedAt: '',
  }
  const facts = {
    at: '',
    version: '1',
    environment: 'production',
    provider: 'Example Pay',
    merchant: { merchantId: demo, name: 'A shop', origins: [] },
    form: { version: '1', scripts: [], headers: {} },
    pages: [],
    authorizedScripts: Array.from({ length: 300 }, () => script),
    openScripts: 0,
    leftOut: 0,
  }
  const confirmation = confirmationText(facts)
  assert.match(confirmation, /^Example Pay confirms to A shop/)
  const signer = readOperatorSigner(readFileSync(keyFile, 'utf8'))
  const line = formatMerchantPack({ ...facts, confirmation }, signer)
  assert.ok(line.length <= maxPackLength, String(line.length))
  const { authorizedScripts, leftOut } = JSON.parse(line) as MerchantPack
  assert.ok(authorizedScripts.length > 50, String(authorizedScripts.length))
  assert.equal(authorizedScripts.length + leftOut, 300)
  assert.equal(isSignedMerchantPack(line, [publicKey]), true)
  assert.equal(isSignedMerchantPack(line, [generateKeyPairSync('ed25519').publicKey]), false)
})
