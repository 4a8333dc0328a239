import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'

import { KekError, KekMissingError, KekUnavailableError, type Kek } from '@tessera/vault/kek'

import { makeHandClock, type HandClock } from '../../testing/clock.fixture.ts'
import { makeHttpPost } from '../http/http-post.ts'
import { describeKek } from './kek.suite.ts'
import { startTransitEngine, type TransitEngineDouble } from './transit-engine.fixture.ts'
import { openTransitKek } from './transit-kek.ts'

const folder = mkdtempSync(join(tmpdir(), 'tessera-transit-'))
const tokenFile = join(folder, 'token')
const key = new Uint8Array(32).fill(9)
const associated = Buffer.from('purpose owner key-id')
const opened: Kek[] = []
let engine: TransitEngineDouble
let clock: HandClock

before(async () => {
  engine = await startTransitEngine()
})
beforeEach(() => {
  Object.assign(engine, { token: 'token-1', leaseSeconds: 0, failure: null })
  writeToken('token-1')
  clock = makeHandClock()
})
after(async () => {
  for (const kek of opened) kek.close()
  await engine.close()
  rmSync(folder, { recursive: true })
})

describeKek('transit engine', { open: () => open({ mayCreate: true }), openOther: () => open({ key: 'other', mayCreate: true }) })

test('a key that is missing is not created when something depends on it', async () => {
  await assert.rejects(
    open({ key: 'absent' }),
    (err) => err instanceof KekMissingError && /no key absent.*tessera keys init/.test(err.message),
  )
})

test('a token that was replaced in its file is read when the old one is refused', async () => {
  const kek = await open({ mayCreate: true })
  engine.token = 'token-2'
  await assert.rejects(kek.wrap(key, associated), unavailable(/expired, or may not use transit\/encrypt/))
  writeToken('token-2')
  assert.deepEqual(await kek.unwrap(await kek.wrap(key, associated), associated), key)
})

test('the token is renewed at half of its lifetime, also after a failed renewal, until the KEK is closed', async () => {
  engine.leaseSeconds = 3600
  const kek = await open({ mayCreate: true })
  assert.equal(countRenewals(), 1)
  await passSleep(1_800_000)
  await clock.untilSleeping(1_800_000)
  engine.failure = { status: 502, body: 'bad gateway' }
  await passSleep(1_800_000)
  await clock.untilSleeping(10_000)
  engine.failure = null
  await passSleep(10_000)
  await clock.untilSleeping(1_800_000)
  assert.equal(countRenewals(), 4)
  kek.close()
})

test('an engine that is sealed, unreachable or talks nonsense is unavailable, and the wrapped key is not called altered', async () => {
  const kek = await open({ mayCreate: true })
  const wrapped = await kek.wrap(key, associated)
  engine.failure = { status: 503, body: '{"errors":["Vault is sealed"]}' }
  await assert.rejects(kek.unwrap(wrapped, associated), unavailable(/HTTP 503: it is sealed/))
  engine.failure = { status: 200, body: '<html>' }
  await assert.rejects(kek.unwrap(wrapped, associated), unavailable(/not JSON/))
  engine.failure = { status: 200, body: '{"data":{}}' }
  await assert.rejects(kek.unwrap(wrapped, associated), unavailable(/has no plaintext/))
  engine.failure = null
  assert.deepEqual(await kek.unwrap(wrapped, associated), key)
  await assert.rejects(open({ url: new URL('http://127.0.0.1:9') }), unavailable(/unreachable/))
})

test('the file of the token may be unreadable for a moment, and a token that lives for months is renewed daily', async () => {
  engine.leaseSeconds = 90 * 86_400
  const kek = await open({ mayCreate: true })
  await clock.untilSleeping(86_400_000)
  engine.token = 'token-2'
  rmSync(tokenFile)
  await assert.rejects(kek.wrap(key, associated), unavailable(/secret file .* cannot be read/))
  assert.match(kek.failure() ?? '', /cannot be read/)
  writeToken('token-2')
  assert.deepEqual(await kek.unwrap(await kek.wrap(key, associated), associated), key)
  assert.equal(kek.failure(), null)
})

test('a mount that does not exist, and a token that may not be renewed', async () => {
  await assert.rejects(
    open({ mount: 'elsewhere' }),
    (err) => err instanceof KekError && /no transit engine at elsewhere: check the mount/.test(err.message),
  )
  engine.leaseSeconds = null
  const kek = await open({ mayCreate: true })
  assert.deepEqual(await kek.unwrap(await kek.wrap(key, associated), associated), key)
})

test('names that would change the path are refused', async () => {
  for (const name of ['../sys', 'a/b', '', 'a?b'])
    await assert.rejects(open({ key: name }), (err) => err instanceof KekError && /not a name/.test(err.message))
})

interface OpenOptions {
  readonly key?: string
  readonly mount?: string
  readonly url?: URL
  readonly mayCreate?: boolean
}

async function open({ key: name = 'tessera-kek', mount = 'transit', url = engine.url, mayCreate = false }: OpenOptions): Promise<Kek> {
  engine.calls.length = 0
  const guard = { choose: () => Promise.resolve({ address: '127.0.0.1', family: 4 }) }
  const http = makeHttpPost({ guard, clock, timeoutMs: 3000, replyBytesMax: 65_536 })
  const kek = await openTransitKek({ http, clock, warn: () => undefined, url, mount, key: name, tokenFile, mayCreate })
  opened.push(kek)
  return kek
}

async function passSleep(ms: number): Promise<void> {
  await clock.untilSleeping(ms)
  clock.advance(ms)
}

function countRenewals(): number {
  return engine.calls.filter((path) => path.endsWith('renew-self')).length
}

function writeToken(token: string): void {
  writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 })
}

function unavailable(message: RegExp): (err: unknown) => boolean {
  return (err) => err instanceof KekUnavailableError && message.test(err.message)
}
