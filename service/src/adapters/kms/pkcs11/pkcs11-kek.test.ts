import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

import { KekError, KekMissingError, KekUnavailableError, type Kek } from '@tessera/vault/kek'

import { makeHandClock, type HandClock } from '../../../testing/clock.fixture.ts'
import { openPkcs11Kek } from './pkcs11-kek.ts'

// How the service behaves when the process of the token blocks, crashes or refuses. The token itself is tested in pkcs11.peer.test.ts, with SoftHSM.

const folder = mkdtempSync(join(tmpdir(), 'tessera-token-'))
after(() => rmSync(folder, { recursive: true }))
let opened = 0

const program = fileURLToPath(new URL('token-process.fixture.ts', import.meta.url))
const key = new Uint8Array(32).fill(7)
const associated = Buffer.from('purpose owner key-id')
const timeoutMs = 5000

test('a token that does not answer fails the call in time, and its process is replaced', async (t) => {
  const { kek, clock } = await open(t, 'blocks')
  const first = assert.rejects(kek.wrap(key, associated), unavailable(/did not answer within 5000 ms/))
  await clock.untilSleeping(timeoutMs)
  clock.advance(timeoutMs)
  await first
  // The new process was opened, and blocks again.
  clock.advance(5000)
  const second = assert.rejects(kek.wrap(key, associated), unavailable(/did not answer/))
  await clock.untilSleeping(timeoutMs)
  while (!(await isSettled(second))) clock.advance(timeoutMs)
  await second
})

test('a module that crashes fails the calls in progress and no later one that works', async (t) => {
  const { kek } = await open(t, 'crashes')
  const calls = [kek.wrap(key, associated), kek.unwrap(key, associated)]
  for (const call of calls) await assert.rejects(call, unavailable(/ended \(SIGSEGV\)/))
})

test('a token that is away is unavailable, not a refusal of the wrapped key, and works again once it is back', async (t) => {
  const { kek, clock, events } = await open(t, 'away')
  await assert.rejects(kek.unwrap(key, associated), unavailable(/CKR_DEVICE_REMOVED/))
  assert.equal(kek.failure(), 'CKR_DEVICE_REMOVED')
  // The next process finds no token, the one after it finds it.
  await assert.rejects(kek.unwrap(key, associated), unavailable(/there is no token/))
  await assert.rejects(kek.unwrap(key, associated), unavailable(/not called again yet/))
  clock.advance(5000)
  assert.deepEqual(await kek.unwrap(key, associated), key)
  assert.equal(kek.failure(), null)
  assert.deepEqual(events, ['kek_unavailable'])
})

for (const [what, label] of [
  ['another key with the same label', 'changes'],
  ['a key of the same label and id, but of another value,', 'imitates'],
] as const) {
  test(`${what} in the new process wraps and opens nothing, and the right one works when it is back`, async (t) => {
    const { kek, clock } = await open(t, label)
    await assert.rejects(kek.wrap(key, associated), KekUnavailableError)
    await assert.rejects(kek.wrap(key, associated), unavailable(/the token has another key with this label now/))
    await assert.rejects(kek.unwrap(key, associated), unavailable(/not called again yet: the token has another key/))
    clock.advance(5000)
    assert.deepEqual(await kek.unwrap(key, associated), key)
    assert.equal(kek.failure(), null)
  })
}

test('a token that refuses is not opened again: a few wrong PINs lock it', async (t) => {
  const { kek, clock } = await open(t, 'refusesLater')
  await assert.rejects(kek.wrap(key, associated), KekUnavailableError)
  await assert.rejects(kek.wrap(key, associated), unavailable(/refused the PIN/))
  clock.advance(60_000)
  await assert.rejects(kek.wrap(key, associated), unavailable(/not called again: the token refused the PIN/))
})

test('a start is refused with the reason of the token', async (t) => {
  await assert.rejects(open(t, 'refuses'), (err) => err instanceof KekError && err.message === 'the token refused the PIN')
  await assert.rejects(open(t, 'absent'), (err) => err instanceof KekError && !(err instanceof KekUnavailableError))
  await assert.rejects(open(t, 'missing'), (err) => err instanceof KekMissingError && /tessera keys init/.test(err.message))
})

test('a program that does not start is unavailable', async (t) => {
  await assert.rejects(open(t, 'answers', '/nowhere/process.ts'), unavailable(/ended \(exit code 1\)/))
})

test('a closed provider fails at once', async (t) => {
  const { kek } = await open(t, 'answers')
  kek.close()
  await assert.rejects(kek.wrap(key, associated), unavailable(/the service closed it/))
})

interface OpenedKek {
  readonly kek: Kek
  readonly clock: HandClock
  readonly events: readonly string[]
}

async function open(t: TestContext, keyLabel: string, path = program): Promise<OpenedKek> {
  const clock = makeHandClock()
  const events: string[] = []
  const kek = await openPkcs11Kek({
    clock,
    warn: (event) => events.push(event),
    timeoutMs,
    program: path,
    // The double counts its starts in the file that a real process loads as its module.
    opening: {
      kind: 'open',
      modulePath: join(folder, `${keyLabel}-${String(opened++)}`),
      names: { tokenLabel: 'token', keyLabel },
      pin: '1234',
      mayGenerate: false,
    },
  })
  t.after(() => kek.close())
  return { kek, clock, events }
}

function unavailable(message: RegExp): (err: unknown) => boolean {
  return (err) => err instanceof KekUnavailableError && message.test(err.message)
}

function isSettled(pending: Promise<unknown>): Promise<boolean> {
  return Promise.race([pending.then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))])
}
