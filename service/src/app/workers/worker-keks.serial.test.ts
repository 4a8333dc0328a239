// time limit: 180 s
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'

import { makeAuthority } from '../../adapters/http/certificate.fixture.ts'
import { startTransitEngine } from '../../adapters/kms/transit-engine.fixture.ts'
import { makeScratch, startTesseraChild, until, type Started } from '../../testing/child.fixture.ts'
import { startCustodied } from '../../testing/custodians.fixture.ts'

import type { Readiness } from '../lifecycle.ts'

import { callAlone, createToken, goodCard, newFolder, onEach } from './workers.fixture.ts'

// Two workers and the provider of their KEK. No registry that this project uses has HashiCorp Vault or OpenBao: a double on loopback stands for the transit
// engine, with the paths, bodies and statuses of its documented API, over TLS. Everything else is what an operator runs.

const scratch = makeScratch()
const authority = makeAuthority('an authority of our own')
const engine = await startTransitEngine(authority.certify('localhost'))
after(() => engine.close())
const files = { ca: join(scratch, 'ca.pem'), token: join(scratch, 'token'), unreachable: join(scratch, 'unreachable') }
writeFileSync(files.ca, authority.cert)
writeFileSync(files.token, 'token-1\n', { mode: 0o600 })
const flags = ['--workers=2', '--kek=transit', `--kek-transit-url=${engine.url.origin}`, `--kek-transit-token-file=${files.token}`]
const env = {
  NODE_EXTRA_CA_CERTS: files.ca,
  NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'lonely-worker.fixture.ts')).href}`,
  TEST_UNREACHABLE_FILE: files.unreachable,
  TEST_UNREACHABLE_PORT: engine.url.port,
}

test('a transit engine that one of two workers cannot reach makes the service degraded, until that worker reaches it again', async (t) => {
  t.after(() => rmSync(files.unreachable, { force: true }))
  const service = await startTesseraChild(newFolder(), flags, env)
  assert.deepEqual([service.facts.kek, service.facts.workers], ['transit', 2])
  const { url } = service.facts
  await onEach(() => createToken(url))
  assert.deepEqual(await away(service), [])

  writeFileSync(files.unreachable, '')
  const merchantId = await createMerchant(service)
  const reasons = await onEach(() => createFirst(service, merchantId))
  assert.deepEqual(
    [...new Set(reasons)].sort(),
    ['', 'store_unavailable'],
    'the first worker creates the key, and the second cannot unwrap it',
  )
  const [part, ...others] = await away(service)
  assert.deepEqual([part?.part, others], ['kek', []])
  assert.match(part?.reason ?? '', /^worker 2: the transit engine at localhost:\d+ is unreachable/)
  await onEach(() => createToken(url))

  // Nothing is called here: the service itself finds out.
  rmSync(files.unreachable)
  await until(async () => (await away(service)).length === 0, 'the second worker to reach the engine')
  assert.deepEqual([...new Set(await onEach(() => createFirst(service, merchantId)))], [''])
  assert.equal((await service.stop()).code, 0)
})

test('while the transit engine is sealed, two workers answer with the keys in their memory, and refuse what needs a new one', async (t) => {
  t.after(() => (engine.failure = null))
  const service = await startTesseraChild(newFolder(), flags, env)
  const merchantId = await createMerchant(service)
  await onEach(() => createToken(service.facts.url))
  engine.failure = { status: 503, body: '{"errors":["Vault is sealed"]}' }
  assert.deepEqual([...new Set(await onEach(() => createFirst(service, merchantId)))], ['store_unavailable'])
  await onEach(() => createToken(service.facts.url))
  const found = await away(service)
  assert.deepEqual(
    [found.length, found[0]?.part, found[0]?.reason.includes('HTTP 503')],
    [1, 'kek', true],
    'both workers miss it, and it is named once',
  )
  engine.failure = null
  await until(async () => (await away(service)).length === 0, 'both workers to reach the engine')
  assert.deepEqual([...new Set(await onEach(() => createFirst(service, merchantId)))], [''])
  const { code, out } = await service.ask('keys', 'verify')
  assert.equal(code, 0, out)
  assert.equal((await service.stop()).code, 0)
})

test('keys move from the transit engine to a KEK of custodians while two workers run', async () => {
  const folder = newFolder()
  const before = await startTesseraChild(folder, flags, env)
  await onEach(() => createToken(before.facts.url))
  assert.equal((await before.stop()).code, 0)
  const service = await startCustodied(folder, flags, env)
  await service.untilState('ready')
  const { shares } = await service.makeShares({ shares: 3, threshold: 2 }, true)
  await service.enter(...shares.slice(0, 2))
  await until(async () => (await service.operator('operator.keys.rewrap', {})).result?.left === 0, 'a rewrap')
  engine.calls.length = 0
  await onEach(() => createToken(service.url))
  const { result } = await service.operator('operator.keys.verify', {})
  assert.deepEqual(result?.findings, [])
  assert.deepEqual(
    engine.calls.filter((path) => path.includes('/transit/')),
    [],
    'the engine is needed no more',
  )
  service.kill('SIGTERM')
  assert.equal((await service.ended).code, 0)
})

async function away({ facts }: Started): Promise<NonNullable<Readiness['away']>> {
  const response = await fetch(`${facts.adminUrl}/readyz`)
  const { state, away: parts = [] } = (await response.json()) as Readiness
  assert.deepEqual([response.status, state], [200, parts.length === 0 ? 'ready' : 'degraded'])
  return parts
}

async function createMerchant(service: Started): Promise<string> {
  const { out } = await service.ask('merchants', 'create', '--json', '--name=A shop')
  return (JSON.parse(out) as { merchantId: string }).merchantId
}

/** The first card of a merchant needs a key of its own. Returns the reason of a refusal; '' when it was created. */
async function createFirst({ facts }: Started, merchantId: string): Promise<string> {
  const { error } = await callAlone(facts.url, 'cards.create', { card: goodCard, save: true }, { 'x-auth': merchantId })
  return error?.reason ?? ''
}
