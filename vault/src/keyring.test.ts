import assert from 'node:assert/strict'
import { test } from 'node:test'

import { countSeal } from './dek.ts'
import { KeyDestroyedError, KeyNotRetiredError, UnknownKeyError, type KeyPurpose } from './keyring.ts'
import { startReplica, stateOf } from './replica.fixture.ts'
import { memoryKeys, merchantA, merchantB, type MemoryKeys } from './samples.fixture.ts'

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs

test('the first request for a key creates it, and later ones return the same', async () => {
  const { keyring, keys } = await startReplica()
  const dek = await keyring.active('card', merchantA)
  assert.equal(await keyring.active('card', merchantA), dek)
  assert.equal(await keyring.byId(dek.keyId), dek)
  assert.deepEqual([dek.purpose, dek.owner, dek.epoch, dek.key.symmetricKeySize], ['card', merchantA, 1, 32])
  assert.equal(keys.rows.length, 1)
})

test('each purpose and each owner has its own keys', async () => {
  const { keyring } = await startReplica()
  const deks = await Promise.all([
    keyring.active('card', merchantA),
    keyring.active('card', merchantB),
    keyring.active('otp'),
    keyring.active('limits'),
    keyring.active('row_mac'),
    keyring.active('pepper'),
  ])
  assert.equal(new Set(deks.map((dek) => dek.key.export().toString('hex'))).size, deks.length)
})

test('a process that cannot read the key store stops sealing, because its key may be retired elsewhere', async () => {
  const { keyring, keys, clock } = await startReplica()
  const dek = await keyring.active('card', merchantA)
  const { list } = keys
  keys.list = () => Promise.reject(new Error('out of reach'))
  clock.now += 30_000
  assert.equal(await keyring.active('card', merchantA), dek)
  clock.now += 31_000
  for (let attempt = 0; attempt < 3; attempt++) await assert.rejects(async () => keyring.active('card', merchantA), /out of reach/)
  assert.equal(await keyring.byId(dek.keyId), dek)
  keys.list = list
  assert.equal(await keyring.active('card', merchantA), dek)
})

test('a key that another process created is loaded once, however many request it at once', async () => {
  const one = await startReplica()
  const two = await startReplica(one)
  const { keyId } = await one.keyring.active('card', merchantA)
  await Promise.all([two.keyring.byId(keyId), two.keyring.byId(keyId), two.keyring.active('card', merchantA)])
  assert.equal(stateOf(two.keyring, keyId), 'active')
  assert.equal(await two.keyring.active('card', merchantA), await two.keyring.byId(keyId))
})

test('after a restart the keys are the same', async () => {
  const before = await startReplica()
  const dek = await before.keyring.active('card', merchantA)
  const after = await startReplica(before)
  const again = await after.keyring.active('card', merchantA)
  assert.deepEqual([again.keyId, again.key.equals(dek.key), after.keys.rows.length], [dek.keyId, true, 1])
})

const cryptoperiods: readonly [KeyPurpose, number][] = [
  ['card', 90 * dayMs],
  ['otp', dayMs],
  ['limits', dayMs],
  ['idempotency', 90 * dayMs],
  ['pepper', 730 * dayMs],
  ['webhook', 730 * dayMs],
]

for (const [purpose, periodMs] of cryptoperiods) {
  test(`a ${purpose} key serves new work until it is ${periodMs / dayMs} days old, and the next one from then on`, async () => {
    const { keyring, clock } = await startReplica()
    const first = await keyring.active(purpose)
    clock.now += periodMs - 1
    assert.equal(await keyring.active(purpose), first)
    clock.now += 1
    const second = await keyring.active(purpose)
    assert.deepEqual([second.epoch, stateOf(keyring, first.keyId), stateOf(keyring, second.keyId)], [2, 'decrypt_only', 'active'])
    assert.equal(await keyring.byId(first.keyId), first)
  })
}

test('the row MAC key never expires', async () => {
  const { keyring, clock } = await startReplica()
  const first = await keyring.active('row_mac')
  clock.now += 10_000 * dayMs
  assert.equal(await keyring.active('row_mac'), first)
})

test('a clock that jumps back creates no key', async () => {
  const { keyring, clock, keys } = await startReplica()
  const first = await keyring.active('otp')
  clock.now -= 1000 * dayMs
  assert.equal(await keyring.active('otp'), first)
  assert.equal(keys.rows.length, 1)
})

test('a key that sealed 2^24 times in this process is replaced', async () => {
  const { keyring } = await startReplica()
  const first = await keyring.active('card', merchantA)
  for (let i = 0; i < 2 ** 24 - 1; i++) countSeal(first)
  assert.equal(await keyring.active('card', merchantA), first)
  countSeal(first)
  assert.equal((await keyring.active('card', merchantA)).epoch, 2)
  assert.equal(keyring.list()[0]?.seals, 2 ** 24)
})

test('after a rotation new work uses the new key at once, and the old key opens what it sealed', async () => {
  const { keyring, keys } = await startReplica()
  const first = await keyring.active('card', merchantA)
  const second = await keyring.rotate('card', merchantA)
  assert.equal(await keyring.active('card', merchantA), second)
  assert.equal(await keyring.byId(first.keyId), first)
  assert.deepEqual(
    keys.rows.map((row) => [row.epoch, row.state]),
    [
      [1, 'decrypt_only'],
      [2, 'active'],
    ],
  )
})

test('the key before another one is the newest older one of the same purpose and owner that is not destroyed', async () => {
  const { keyring, clock } = await startReplica()
  const first = await keyring.active('idempotency')
  await keyring.active('pepper')
  assert.equal(keyring.previousOf(first), null)
  const second = await keyring.rotate('idempotency')
  const third = await keyring.rotate('idempotency')
  assert.deepEqual([keyring.previousOf(third), keyring.previousOf(second)], [second, first])
  clock.now += 120_000
  await keyring.destroy(second.keyId)
  assert.equal(keyring.previousOf(third), first)
})

test('256 simultaneous requests for a missing key create one', async () => {
  const keys = memoryKeys()
  let inserts = 0
  const { keyring } = await startReplica({ keys: { ...keys, insert: (key) => (inserts++, keys.insert(key)) } })
  const deks = await Promise.all(Array.from({ length: 256 }, async () => keyring.active('card', merchantA)))
  assert.deepEqual([new Set(deks).size, inserts], [1, 1])
})

test('when two processes create a key at once, one wins and both use it', async () => {
  const one = await startReplica()
  const two = await startReplica(one)
  const [dekOne, dekTwo] = await Promise.all([one.keyring.active('card', merchantA), two.keyring.active('card', merchantA)])
  assert.deepEqual([dekOne.keyId, dekOne.key.equals(dekTwo.key), one.keys.rows.length], [dekTwo.keyId, true, 1])
})

test('two processes that end an epoch together agree on the next key', async () => {
  const one = await startReplica()
  await one.keyring.active('otp')
  const two = await startReplica(one)
  one.clock.now += dayMs
  const [dekOne, dekTwo] = await Promise.all([one.keyring.active('otp'), two.keyring.active('otp')])
  assert.deepEqual([dekOne.epoch, dekOne.keyId, one.keys.rows.length], [2, dekTwo.keyId, 2])
})

test('a key that another process made is found by its id', async () => {
  const one = await startReplica()
  const two = await startReplica(one)
  const dek = await two.keyring.active('card', merchantA)
  assert.ok((await one.keyring.byId(dek.keyId)).key.equals(dek.key))
})

test('a process learns within a minute that another one rotated', async () => {
  const one = await startReplica()
  const first = await one.keyring.active('card', merchantA)
  const two = await startReplica(one)
  const second = await two.keyring.rotate('card', merchantA)
  one.clock.now += 60_000
  assert.equal((await one.keyring.active('card', merchantA)).keyId, first.keyId)
  one.clock.now += 1
  assert.equal((await one.keyring.active('card', merchantA)).keyId, second.keyId)
})

test('between two reads of the store, known keys need no query', async () => {
  const { keyring, keys, clock } = await startReplica()
  const dek = await keyring.active('card', merchantA)
  const { lists } = keys
  for (let i = 0; i < 100; i++) await Promise.all([keyring.active('card', merchantA), keyring.byId(dek.keyId)])
  assert.equal(keys.lists, lists)
  clock.now += 60_001
  await Promise.all(Array.from({ length: 100 }, async () => keyring.active('card', merchantA)))
  assert.equal(keys.lists, lists + 1)
})

test('an unknown key id is looked up in the store once per request, and rejected', async () => {
  const { keyring, keys } = await startReplica()
  const { lists } = keys
  await assert.rejects(async () => keyring.byId('00'.repeat(16)), UnknownKeyError)
  assert.equal(keys.lists, lists + 1)
})

test('a key in use, or that was in use two minutes ago, is not destroyed', async () => {
  const { keyring, clock } = await startReplica()
  const first = await keyring.active('card', merchantA)
  await assert.rejects(keyring.destroy(first.keyId), KeyNotRetiredError)
  await keyring.rotate('card', merchantA)
  clock.now += 119_999
  await assert.rejects(keyring.destroy(first.keyId), KeyNotRetiredError)
  clock.now += 1
  await keyring.destroy(first.keyId)
  assert.equal(stateOf(keyring, first.keyId), 'destroyed')
})

test('a rotation retires no key of another purpose or owner', async () => {
  const { keyring, clock } = await startReplica()
  const inUse = [await keyring.active('card', merchantA), await keyring.active('idempotency')]
  await keyring.active('card', merchantB)
  await keyring.active('pepper')
  await keyring.rotate('card', merchantB)
  await keyring.rotate('pepper')
  clock.now += hourMs
  for (const dek of inUse) await assert.rejects(keyring.destroy(dek.keyId), KeyNotRetiredError)
})

test('a key of row MACs, passwords or webhook secrets is replaced and never destroyed', async () => {
  const { keyring, clock } = await startReplica()
  for (const purpose of ['row_mac', 'pepper', 'webhook'] as const) {
    const first = await keyring.active(purpose)
    await keyring.rotate(purpose)
    clock.now += 1000 * dayMs
    await assert.rejects(keyring.destroy(first.keyId), KeyNotRetiredError)
    assert.equal(await keyring.byId(first.keyId), first)
  }
})

test('a destroyed key is gone: from memory, from the store, after a restart, and for other processes once they read', async () => {
  const one = await startReplica()
  const { keyId } = await one.keyring.active('card', merchantA)
  const two = await startReplica(one)
  await one.keyring.rotate('card', merchantA)
  one.clock.now += 120_000
  await one.keyring.destroy(keyId)
  await assert.rejects(async () => one.keyring.byId(keyId), KeyDestroyedError)
  assert.deepEqual([one.keys.rows[0]?.state, one.keys.rows[0]?.wrapped.length], ['destroyed', 0])
  await assert.rejects(async () => (await startReplica(one)).keyring.byId(keyId), KeyDestroyedError)
  await two.keyring.active('card', merchantA)
  await assert.rejects(async () => two.keyring.byId(keyId), KeyDestroyedError)
  await one.keyring.destroy(keyId)
})

test('an unknown key is not destroyed', async () => {
  const { keyring } = await startReplica()
  await assert.rejects(keyring.destroy('00'.repeat(16)), UnknownKeyError)
})

test('daily keys are destroyed a day after they expire, with or without a successor; no other key is', async () => {
  const { keyring, clock } = await startReplica()
  const permanent = await Promise.all(
    (['card', 'row_mac', 'pepper', 'idempotency'] as const).map(async (purpose) => keyring.active(purpose)),
  )
  const otp = await keyring.active('otp')
  const limits = await keyring.active('limits')
  clock.now += dayMs
  const nextOtp = await keyring.active('otp')
  clock.now += dayMs - 1
  assert.equal(await keyring.destroyExpired(), 0)
  clock.now += 1
  assert.equal(await keyring.destroyExpired(), 2)
  assert.deepEqual(
    [otp, limits, nextOtp].map((dek) => stateOf(keyring, dek.keyId)),
    ['destroyed', 'destroyed', 'active'],
  )
  clock.now += 1000 * dayMs
  assert.equal(await keyring.destroyExpired(), 1)
  for (const dek of permanent) assert.equal(await keyring.byId(dek.keyId), dek)
})

test('while the time is not trusted no key expires and none is destroyed, until it is trusted again', async () => {
  const { keyring, clock, time } = await startReplica()
  const first = await keyring.active('limits')
  const card = await keyring.active('card', merchantA)
  await keyring.rotate('card', merchantA)
  clock.now += 3 * dayMs
  time.isTrusted = false
  assert.equal(await keyring.active('limits'), first)
  assert.equal(await keyring.destroyExpired(), 0)
  await assert.rejects(keyring.destroy(card.keyId), KeyNotRetiredError)
  assert.equal(await keyring.byId(card.keyId), card)
  time.isTrusted = true
  assert.notEqual(await keyring.active('limits'), first)
  assert.equal(await keyring.destroyExpired(), 1)
  await keyring.destroy(card.keyId)
  assert.deepEqual([stateOf(keyring, first.keyId), stateOf(keyring, card.keyId)], ['destroyed', 'destroyed'])
})

test('after the daily key is destroyed the next one is created', async () => {
  const { keyring, clock } = await startReplica()
  await keyring.active('otp')
  clock.now += 2 * dayMs
  await keyring.destroyExpired()
  assert.equal((await keyring.active('otp')).epoch, 2)
})

test('a key is replaced in the hour before it expires, and a request then needs no KEK', async () => {
  const one = await startReplica()
  const first = await one.keyring.active('otp')
  const permanent = await one.keyring.active('pepper')
  one.clock.now += dayMs - 3_600_001
  assert.equal(await one.keyring.renewExpiring(), 0)
  one.clock.now += 1
  assert.equal(await one.keyring.renewExpiring(), 1)
  assert.equal(await one.keyring.renewExpiring(), 0)
  one.clock.now += 3_600_000
  const second = await one.keyring.active('otp')
  assert.deepEqual([first.epoch, second.epoch], [1, 2])
  assert.equal((await one.keyring.byId(first.keyId)).keyId, first.keyId)
  assert.equal((await one.keyring.active('pepper')).keyId, permanent.keyId)
  one.clock.now += 729 * dayMs
  assert.equal(await one.keyring.renewExpiring(), 2)
  assert.equal((await one.keyring.active('pepper')).epoch, 2)
})

test('an outdated reply of the store brings no destroyed key back', async () => {
  const one = await startReplica()
  const { keyId } = await one.keyring.active('otp')
  one.clock.now += 2 * dayMs
  const late = await one.keys.list()
  await one.keyring.destroyExpired()
  one.keys.list = async () => late
  await assert.rejects(async () => one.keyring.byId('00'.repeat(16)), UnknownKeyError)
  await assert.rejects(async () => one.keyring.byId(keyId), KeyDestroyedError)
  assert.equal(stateOf(one.keyring, keyId), 'destroyed')
})

test('when the store fails no key is created, and the next request tries again', async () => {
  const keys = memoryKeys()
  let isAway = true
  const insert: MemoryKeys['insert'] = async (key) => {
    if (isAway) throw new Error('the store is away')
    return keys.insert(key)
  }
  const { keyring } = await startReplica({ keys: { ...keys, insert } })
  await assert.rejects(async () => keyring.active('pepper'), /the store is away/)
  isAway = false
  assert.equal((await keyring.active('pepper')).epoch, 1)
})

test('the list has what an operator needs, and no key', async () => {
  const { keyring, clock } = await startReplica()
  const dek = await keyring.active('card', merchantA)
  assert.deepEqual(keyring.list(), [
    {
      keyId: dek.keyId,
      purpose: 'card',
      owner: merchantA,
      epoch: 1,
      state: 'active',
      kekId: 'sample-kek',
      createdAt: clock.now,
      seals: 0,
    },
  ])
})
