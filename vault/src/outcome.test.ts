import assert from 'node:assert/strict'
import { createDecipheriv, createHash, createHmac } from 'node:crypto'
import { test } from 'node:test'

import { sealsUnder, WrongKeyError } from './dek.ts'
import { encodeFields } from './fields.ts'
import {
  digestRequest,
  hashIdempotencyKey,
  hashIdentity,
  openOutcome,
  sealOutcome,
  type IdempotentRequest,
  type IdempotencyKeyOwner,
} from './outcome.ts'
import { merchantA, merchantB, sampleDek } from './samples.fixture.ts'
import { SealBrokenError } from './seal.ts'

const owner: IdempotencyKeyOwner = { environment: 'test', merchantId: merchantA, callerClass: 'server' }
const request: IdempotentRequest = {
  key: 'k1',
  profile: 'spec',
  method: 'cards.create',
  params: '{"card":{"expire":"0399","number":""}}',
  pan: Buffer.from('8600069195406311'),
}
const plaintext = Buffer.from('{"result":{"card":{"token":"secret"}}}')

test('an outcome opens with the same key and request, and with nothing else', () => {
  const dek = sampleDek('idempotency')
  const sealed = sealOutcome(dek, owner, digestRequest(request), plaintext)
  assert.deepEqual(Buffer.from(openOutcome(dek, owner, digestRequest(request), sealed)), plaintext)
  const others: IdempotentRequest[] = [
    { ...request, key: 'k2' },
    { ...request, profile: 'subscribe' },
    { ...request, method: 'cards.remove' },
    { ...request, params: '{"card":{"expire":"0398","number":""}}' },
    { ...request, pan: Buffer.from('8600495473316478') },
    { ...request, pan: null },
  ]
  for (const other of others) assert.throws(() => openOutcome(dek, owner, digestRequest(other), sealed), SealBrokenError)
  for (const changed of [{ environment: 'production' }, { merchantId: merchantB }, { callerClass: 'browser' }]) {
    assert.throws(() => openOutcome(dek, { ...owner, ...changed }, digestRequest(request), sealed), SealBrokenError)
  }
  const swapped = { ...sampleDek('idempotency'), keyId: dek.keyId }
  assert.throws(() => openOutcome(swapped, owner, digestRequest(request), sealed), SealBrokenError)
})

test('a sealed outcome with any one bit flipped does not open', () => {
  const dek = sampleDek('idempotency')
  const digest = digestRequest(request)
  const sealed = sealOutcome(dek, owner, digest, plaintext)
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const flipped = Uint8Array.from(sealed)
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.throws(() => openOutcome(dek, owner, digest, flipped), SealBrokenError)
  }
})

test('the key of an outcome is derived in counter mode from the data key and the digest of the request', () => {
  const dek = sampleDek('idempotency')
  const digest = digestRequest(request)
  const { key, profile, method, params, pan } = request
  const fields = encodeFields('tessera idempotent request', [key, profile, method, params, pan])
  assert.deepEqual(Buffer.from(digest), createHash('sha256').update(fields).digest())
  const fixed = Buffer.concat([
    Buffer.from([0, 0, 0, 1]),
    Buffer.from(`tessera idempotent outcome\0${Buffer.from(digest).toString('hex')}`),
    Buffer.from([0, 0, 1, 0]),
  ])
  const outcomeKey = createHmac('sha256', dek.key).update(fixed).digest()
  const sealed = Buffer.from(sealOutcome(dek, owner, digest, plaintext))
  const bound = ['test', merchantA, 'server', 'idempotent outcome']
  const associated = encodeFields('tessera seal', [1, 1, Buffer.from(dek.keyId, 'hex'), ...bound])
  const decipher = createDecipheriv('aes-256-gcm', outcomeKey, sealed.subarray(18, 30), { authTagLength: 16 }).setAAD(associated)
  decipher.setAuthTag(sealed.subarray(-16))
  assert.deepEqual(Buffer.concat([decipher.update(sealed.subarray(30, -16)), decipher.final()]), plaintext)
})

test('hashes of an idempotency key and of its request differ by owner and by data key', () => {
  const [one, other] = [sampleDek('idempotency'), sampleDek('idempotency')]
  const digest = digestRequest(request)
  const hashes = [one, other].flatMap((dek) =>
    [owner, { ...owner, merchantId: merchantB }, { ...owner, callerClass: 'browser' }, { ...owner, environment: 'production' }].flatMap(
      (of) => [hashIdempotencyKey(dek, of, 'k1'), hashIdentity(dek, of, digest)],
    ),
  )
  assert.equal(new Set(hashes.map((hash) => Buffer.from(hash).toString('hex'))).size, 16)
})

test('a data key of another purpose seals, opens and hashes no outcome; sealing counts against the key', () => {
  const card = sampleDek('card')
  const digest = digestRequest(request)
  assert.throws(() => sealOutcome(card, owner, digest, plaintext), WrongKeyError)
  assert.throws(() => hashIdempotencyKey(card, owner, 'k1'), WrongKeyError)
  assert.throws(() => hashIdentity(card, owner, digest), WrongKeyError)
  const dek = sampleDek('idempotency')
  const sealed = sealOutcome(dek, owner, digest, plaintext)
  assert.throws(() => openOutcome({ ...card, key: dek.key, keyId: dek.keyId }, owner, digest, sealed), SealBrokenError)
  assert.equal(sealsUnder(dek), 1)
})
