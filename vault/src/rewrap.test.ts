import assert from 'node:assert/strict'
import { test } from 'node:test'

import { KekUnavailableError, type Kek } from './kek.ts'
import { KeyRejectedError, openKeyring, type Keyring } from './keyring.ts'
import { memoryKeys, merchantA, merchantB, sampleKek, type MemoryKeys } from './samples.fixture.ts'

interface Node {
  readonly keyring: Keyring
  readonly clock: { now: number }
}

async function startNode(keys: MemoryKeys, kek: Kek, nextKek: Kek | null = null): Promise<Node> {
  const clock = { now: Date.UTC(2026, 10, 21) }
  return { keyring: await openKeyring({ kek, nextKek: () => nextKek, keys, environment: 'test', now: () => clock.now }), clock }
}

const run = { signal: new AbortController().signal, onProgress: () => undefined }

test('every key is wrapped by the next KEK, the keys are the same, and the former KEK is needed no more', async () => {
  const [keys, old, next] = [memoryKeys(), sampleKek('old'), sampleKek('next')]
  const before = await startNode(keys, old)
  const card = await before.keyring.active('card', merchantA)
  await before.keyring.rotate('card', merchantA)
  await before.keyring.active('row_mac')
  const during = await startNode(keys, old, next)
  const progress: string[] = []
  const result = await during.keyring.rewrap({ ...run, onProgress: (done, total) => void progress.push(`${done}/${total}`) })
  assert.deepEqual(result, { rewrapped: 3, left: 0 })
  assert.deepEqual(progress, ['1/3', '2/3', '3/3'])
  assert.deepEqual(new Set(keys.rows.map(({ kekId }) => kekId)), new Set(['next']))
  const after = await startNode(keys, next)
  assert.equal((await after.keyring.byId(card.keyId)).key.equals(card.key), true)
  assert.deepEqual(await during.keyring.rewrap(run), { rewrapped: 0, left: 0 })
  await assert.rejects(startNode(keys, old), /is wrapped by KEK next, and this is KEK old/)
})

test('a process that has both KEKs wraps new keys by the next one as soon as another began, and both read all', async () => {
  const [keys, old, next] = [memoryKeys(), sampleKek('old'), sampleKek('next')]
  const [one, two] = [await startNode(keys, old, next), await startNode(keys, old, next)]
  const first = await two.keyring.active('card', merchantA)
  assert.equal(two.keyring.wrappingKekId(), 'old')
  await one.keyring.rewrap(run)
  const second = await two.keyring.active('card', merchantB)
  assert.deepEqual(
    keys.rows.map(({ kekId }) => kekId),
    ['next', 'next'],
  )
  for (const { keyId } of [first, second]) assert.equal((await one.keyring.byId(keyId)).keyId, keyId)
})

test('a third KEK that a process gets while the second one wraps does not wrap before a stored key is wrapped by it', async () => {
  const [keys, first, second, third] = [memoryKeys(), sampleKek('first'), sampleKek('second'), sampleKek('third')]
  const held: Kek[] = [second]
  const deps = {
    kek: first,
    nextKek: () => held.at(-1) ?? null,
    heldKeks: () => held,
    keys,
    environment: 'test',
    now: () => Date.UTC(2026, 10, 21),
  }
  const keyring = await openKeyring(deps)
  await keyring.active('card', merchantA)
  await keyring.rewrap(run)
  held.push(third)
  assert.equal(keyring.wrappingKekId(), 'second')
  await keyring.active('card', merchantB)
  assert.deepEqual(
    keys.rows.map(({ kekId }) => kekId),
    ['second', 'second'],
  )
  await keyring.rewrap(run)
  assert.equal(keyring.wrappingKekId(), 'third')
})

test('a rewrap that was interrupted, or whose KEK went away, continues where it was', async () => {
  const [keys, old, next] = [memoryKeys(), sampleKek('old'), sampleKek('next')]
  const calls = { wraps: 0 }
  const failing: Kek = {
    ...next,
    wrap: (key, associated) => (++calls.wraps === 3 ? Promise.reject(new KekUnavailableError('away')) : next.wrap(key, associated)),
  }
  const { keyring } = await startNode(keys, old, failing)
  for (const owner of ['a', 'b', 'c', 'd']) await keyring.active('card', owner)
  await assert.rejects(keyring.rewrap(run), KekUnavailableError)
  const kekIds = () => keys.rows.map(({ kekId }) => kekId).join(' ')
  assert.equal(kekIds(), 'next next old old')
  await assert.rejects(keyring.rewrap({ ...run, signal: AbortSignal.abort(new Error('stopped')) }), /stopped/)
  assert.deepEqual(await keyring.rewrap(run), { rewrapped: 2, left: 0 })
  assert.equal(kekIds(), 'next next next next')
})

test('a key that does not unwrap is not wrapped again, and one that the provider wraps wrongly stays as it was', async () => {
  const [keys, old, next] = [memoryKeys(), sampleKek('old'), sampleKek('next')]
  const { keyring } = await startNode(keys, old, { ...next, wrap: (_key, associated) => next.wrap(new Uint8Array(32), associated) })
  await keyring.active('pepper')
  await assert.rejects(keyring.rewrap(run), /unwraps to another key/)
  assert.equal(keys.rows[0]?.kekId, 'old')
  keys.rows.splice(0, 1, ...keys.rows.slice(0, 1).map((row) => ({ ...row, epoch: 2 })))
  const other = await openKeyring({ kek: old, keys: memoryKeys(), environment: 'test', now: () => 0 })
  assert.equal(await other.rewrap(run), null, 'there is no next KEK')
  await assert.rejects(startNode(keys, old, next), KeyRejectedError)
})

test('keys of an older version of a KEK that its provider rotates are wrapped again, and those of the newest are left', async () => {
  const [keys, kek] = [memoryKeys(), sampleKek('transit')]
  const engine = { version: 1 }
  const rotated: Kek = {
    ...kek,
    wrap: async (key, associated) => Uint8Array.of(engine.version, ...(await kek.wrap(key, associated))),
    unwrap: (wrapped, associated) => kek.unwrap(wrapped.subarray(1), associated),
    versionOf: (wrapped) => wrapped[0] ?? 0,
  }
  const { keyring } = await startNode(keys, rotated)
  await keyring.active('pepper')
  assert.deepEqual(await keyring.rewrap(run), { rewrapped: 0, left: 0 })
  engine.version = 2
  await keyring.active('webhook')
  assert.deepEqual(await keyring.rewrap(run), { rewrapped: 1, left: 0 })
  assert.deepEqual(
    keys.rows.map(({ wrapped }) => wrapped[0]),
    [2, 2],
  )
})

test('an inspection names each key that is foreign, altered or lost, and does not end at the first', async () => {
  const [keys, old] = [memoryKeys(), sampleKek('old')]
  const { keyring } = await startNode(keys, old)
  const [good, altered, foreign, lost] = [
    await keyring.active('pepper'),
    await keyring.active('webhook'),
    await keyring.active('dashboard'),
    await keyring.active('row_mac'),
  ]
  keys.rows.splice(0, keys.rows.length, ...keys.rows.filter(({ keyId }) => keyId !== lost.keyId))
  for (const [at, row] of keys.rows.entries()) {
    if (row.keyId === altered.keyId) keys.rows[at] = { ...row, owner: merchantA }
    if (row.keyId === foreign.keyId) keys.rows[at] = { ...row, kekId: 'another' }
  }
  const { stored, lost: missing } = await keyring.inspect()
  const faults = new Map(stored.map(({ key, fault }) => [key.keyId, fault]))
  assert.deepEqual(
    [good, altered, foreign].map(({ keyId }) => faults.get(keyId)),
    [null, 'altered', 'foreign'],
  )
  assert.deepEqual(
    missing.map(({ keyId }) => keyId),
    [lost.keyId],
  )
})
