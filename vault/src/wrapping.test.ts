import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Kek } from './kek.ts'
import { KeyRejectedError, openKeyring, type WrappedKey } from './keyring.ts'
import { startReplica, stateOf } from './replica.fixture.ts'
import { memoryKeys, merchantA, merchantB, sampleKek, type MemoryKeys } from './samples.fixture.ts'

test('a stored key does not contain the key itself', async () => {
  const { keyring, keys } = await startReplica()
  const raw = (await keyring.active('card', merchantA)).key.export()
  for (const row of keys.rows) {
    for (const bytes of [row.wrapped, row.checkValue]) assert.equal(Buffer.from(bytes).indexOf(raw.subarray(0, 8)), -1)
    assert.equal(row.checkValue.length, 8)
  }
})

test('a key passed to the KEK or returned by it is wiped once it is used', async () => {
  const seen: Uint8Array[] = []
  const kek = sampleKek()
  const watching: Kek = {
    ...kek,
    wrap: (plain, associated) => (seen.push(plain), kek.wrap(plain, associated)),
    unwrap: async (wrapped, associated) => {
      const plain = await kek.unwrap(wrapped, associated)
      seen.push(plain)
      return plain
    },
  }
  const first = await startReplica({ kek: watching })
  await first.keyring.active('pepper')
  await startReplica(first)
  assert.equal(seen.length, 2)
  assert.ok(seen.every((bytes) => bytes.every((byte) => byte === 0)))
})

test('a state set back in the store makes no old key active again', async () => {
  const one = await startReplica()
  const first = await one.keyring.active('card', merchantA)
  const second = await one.keyring.rotate('card', merchantA)
  alter(one.keys, first.keyId, { state: 'active' })
  alter(one.keys, second.keyId, { state: 'decrypt_only' })
  const after = await startReplica(one)
  const dek = await after.keyring.active('card', merchantA)
  assert.equal(dek.epoch, 3)
  assert.deepEqual(
    after.keyring.list().map(({ state }) => state),
    ['decrypt_only', 'decrypt_only', 'active'],
  )
})

test('one key is active at a time even when a crash came between creating the new one and ending the old', async () => {
  const one = await startReplica()
  const first = await one.keyring.active('card', merchantA)
  const second = await one.keyring.rotate('card', merchantA)
  alter(one.keys, first.keyId, { state: 'active' })
  one.keys.rows.reverse()
  const { keyring } = await startReplica(one)
  assert.equal((await keyring.active('card', merchantA)).keyId, second.keyId)
  assert.equal(stateOf(keyring, first.keyId), 'decrypt_only')
})

test('two swapped wrapped keys prevent the start, and the error names the key', async () => {
  const one = await startReplica()
  const { keyId } = await one.keyring.active('card', merchantA)
  const other = await one.keyring.active('card', merchantB)
  const [a, b] = [rowOf(one.keys, keyId), rowOf(one.keys, other.keyId)]
  alter(one.keys, keyId, { wrapped: b.wrapped, checkValue: b.checkValue })
  alter(one.keys, other.keyId, { wrapped: a.wrapped, checkValue: a.checkValue })
  await assert.rejects(startReplica(one), (thrown: Error) => thrown instanceof KeyRejectedError && thrown.message.includes(keyId))
})

test('a change of anything stored beside a wrapped key prevents the start', async () => {
  const one = await startReplica()
  const { keyId } = await one.keyring.active('card', merchantA)
  const row = rowOf(one.keys, keyId)
  const changes: Partial<WrappedKey>[] = [
    { keyId: '00'.repeat(16) },
    { purpose: 'otp' },
    { owner: merchantB },
    { owner: '' },
    { epoch: 2 },
    { createdAt: row.createdAt + 1 },
    { kekId: 'another' },
    { wrapped: new Uint8Array() },
    { wrapped: row.wrapped.slice(1) },
    { checkValue: new Uint8Array() },
    { checkValue: row.checkValue.slice(1) },
    ...[...row.wrapped.keys()].map((at) => ({ wrapped: flipped(row.wrapped, at) })),
    ...[...row.checkValue.keys()].map((at) => ({ checkValue: flipped(row.checkValue, at) })),
  ]
  for (const change of changes) {
    const keys = memoryKeys()
    keys.rows.push({ ...row, ...change })
    await assert.rejects(startReplica({ ...one, keys }), KeyRejectedError, JSON.stringify(change))
  }
  await startReplica(one)
})

test('a key of the test environment does not open in production, and one of another KEK nowhere', async () => {
  const one = await startReplica()
  await one.keyring.active('pepper')
  const parts = { kek: one.kek, keys: one.keys, now: () => 0 }
  await assert.rejects(openKeyring({ ...parts, environment: 'production' }), KeyRejectedError)
  await assert.rejects(
    openKeyring({ ...parts, environment: 'test', kek: sampleKek('another-kek') }),
    /wrapped by KEK sample-kek.*KEK another-kek/,
  )
  await assert.rejects(openKeyring({ ...parts, environment: 'test', kek: sampleKek() }), KeyRejectedError)
})

test('a KEK that unwraps to something else is found by the check value', async () => {
  const one = await startReplica()
  await one.keyring.active('pepper')
  const lying = (bytes: Uint8Array): Kek => ({ ...one.kek, unwrap: async () => Uint8Array.from(bytes) })
  for (const bytes of [new Uint8Array(32), new Uint8Array(31), new Uint8Array()]) {
    await assert.rejects(startReplica({ ...one, kek: lying(bytes) }), /check value/)
  }
})

test('an altered key that appears while the service runs is rejected too', async () => {
  const one = await startReplica()
  const two = await startReplica(one)
  const { keyId } = await two.keyring.active('card', merchantA)
  alter(one.keys, keyId, { owner: merchantB })
  await assert.rejects(async () => one.keyring.byId(keyId), KeyRejectedError)
})

function rowOf(keys: MemoryKeys, keyId: string): WrappedKey {
  const row = keys.rows.find((stored) => stored.keyId === keyId)
  assert.ok(row)
  return row
}

function alter(keys: MemoryKeys, keyId: string, change: Partial<WrappedKey>): void {
  keys.rows.splice(
    keys.rows.findIndex((row) => row.keyId === keyId),
    1,
    { ...rowOf(keys, keyId), ...change },
  )
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.with(at, (bytes[at] ?? 0) ^ 1)
}
