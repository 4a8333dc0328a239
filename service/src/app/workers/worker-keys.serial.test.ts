// time limit: 120 s
import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'

import { makeAuthority, type CertificateWithKey } from '../../adapters/http/certificate.fixture.ts'
import { sandbox } from '../../adapters/sandbox/sandbox.ts'
import { databasePathOf } from '../../store/sqlite/sqlite.ts'
import { makeScratch, runTessera, until } from '../../testing/child.fixture.ts'
import { startCustodied } from '../../testing/custodians.fixture.ts'

import { checkAlone, createToken, failingEnvironment, failWorker, newFolder, onEach, startWorkers } from './workers.fixture.ts'

const scratch = makeScratch()
const authority = makeAuthority('an authority')

test('after a key is rotated, both workers seal new cards under the next one at once', async () => {
  const service = await startWorkers()
  const { url } = service.facts
  await onEach(() => createToken(url))
  const before = keysOfCards(service.folder)
  assert.equal(before.length, 1)
  assert.equal((await service.ask('keys', 'rotate', 'card', sandbox.demo.merchantId)).code, 0)
  await onEach(() => createToken(url))
  const after = keysOfCards(service.folder)
  assert.deepEqual([after.length, new Set(after.map(({ cards }) => cards)).size], [2, 1], JSON.stringify(after))
  assert.equal((await service.stop()).code, 0)
})

test('custodians unseal once for all workers, also for one that is started later, and a rewrap waits for none of them', async () => {
  const folder = newFolder()
  const service = await startCustodied(folder, ['--workers=2', '--kek=shares'], failingEnvironment(folder))
  const { url } = service
  await service.untilState('sealed')
  const first = await service.makeShares({ shares: 3, threshold: 2 })
  await service.enter(...first.shares.slice(0, 2))
  await service.untilState('ready')
  const tokens = await onEach(() => createToken(url))
  failWorker(service)
  await until(() => service.err().includes('"event":"worker_started"'), 'the next worker')
  for (const token of tokens) assert.notEqual((await checkAlone(url, token)).result, undefined)
  await onEach(() => createToken(url))

  // Another KEK, which custodians open while both run.
  const second = await service.makeShares({ shares: 3, threshold: 2 }, true)
  await service.enter(...second.shares.slice(0, 2))
  await service.agree(...first.shares.slice(0, 2))
  await until(async () => (await service.operator('operator.keys.rewrap', {})).result?.left === 0, 'a rewrap')
  await onEach(() => createToken(url))
  assert.deepEqual((await service.operator('operator.keys.verify', {})).result?.findings, [])
  service.kill('SIGTERM')
  const { code, err } = await service.ended
  assert.equal(code, 0)
  assert.ok(!err.includes('"event":"key_'), err)
})

test('SIGHUP gives every worker the new certificate, and one that is started later has the one that is used, whatever the files are', async () => {
  const files = { cert: join(scratch, 'cert.pem'), key: join(scratch, 'key.pem') }
  const install = ({ cert, key }: CertificateWithKey): void => {
    writeFileSync(files.cert, cert)
    writeFileSync(files.key, key)
    chmodSync(files.key, 0o600)
  }
  install(authority.certify('pay.example', 40))
  const folder = newFolder()
  const flags = [`--data=${folder}`, `--tls-cert-file=${files.cert}`, `--tls-key-file=${files.key}`, '--port=0', '--admin-port=0']
  const service = runTessera(['start', '--json', '--workers=2', ...flags], failingEnvironment(folder), [], { isDetached: true })
  const ready = (): string | undefined => /^\{"ready":.*\}$/m.exec(service.out())?.[0]
  await until(() => ready() !== undefined, 'the service to be ready')
  const { url } = (JSON.parse(ready() ?? '') as { ready: { url: string } }).ready
  assert.deepEqual([...new Set(await onEach(() => nameOf(url)))], ['pay.example'])
  install(authority.certify('renewed.example', 90))
  service.kill('SIGHUP')
  await until(() => service.err().match(/"event":"certificate_loaded"/g)?.length === 2, 'both certificates to be loaded')
  assert.deepEqual([...new Set(await onEach(() => nameOf(url)))], ['renewed.example'])
  // Half of a renewal: it is no certificate yet, and the service goes on with the one that it has.
  writeFileSync(files.cert, '')
  failWorker({ folder })
  await until(() => service.err().includes('"event":"worker_started"'), 'the next worker')
  assert.deepEqual([...new Set(await onEach(() => nameOf(url)))], ['renewed.example'])
  service.kill('SIGTERM')
  const { code, err } = await service.ended
  assert.deepEqual([code, err.match(/"event":"worker_ended"/g)?.length], [0, 1])
})

/** The keys under which cards are sealed, and how many under each. */
function keysOfCards(folder: string): { readonly key_id: string; readonly cards: number }[] {
  const db = new DatabaseSync(databasePathOf(folder), { readOnly: true })
  try {
    return db.prepare('select key_id, count(*) as cards from cards group by key_id').all() as never
  } finally {
    db.close()
  }
}

/** The name in the certificate of the listener, on a new connection. */
function nameOf(url: string): Promise<string | undefined> {
  const options = { method: 'POST', agent: false, ca: authority.cert, checkServerIdentity: () => undefined }
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api`, options, (response) => {
      const { socket } = response
      const name =
        'getPeerCertificate' in socket ? (socket.getPeerCertificate as () => { subject: { CN: string } })().subject.CN : undefined
      response.resume().once('end', () => resolve(name))
    })
    sent.once('error', reject).end('{"id":1,"method":"rpc.discover"}')
  })
}
