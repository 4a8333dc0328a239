import assert from 'node:assert/strict'
import crypto, { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { mock, test } from 'node:test'

import { keyedHash } from './fields.ts'
import { prepareHmacKey } from './hmac.ts'
import { samplePan, sampleDek, sampleOwner, merchantA } from './samples.fixture.ts'
import { openOutcome, sealOutcome } from './outcome.ts'
import { openPan, sealPan, SealBrokenError } from './seal.ts'
import { hashLimitSubject } from './keyed-hashes.ts'

// Every byte that goes into or comes out of a primitive is watched; what was plain must be gone when the work is done.

const digits = Buffer.from('8600069195406311')

test('sealing leaves the digits in no buffer but the PAN itself', () => {
  const card = { secret: randomBytes(32), dek: sampleDek('card', merchantA), owner: sampleOwner() }
  const pan = samplePan()
  const seen = watch(() => sealPan(pan, card.secret, card.dek, card.owner))
  pan.wipe()
  assertSawAndWiped(seen)
})

test('opening leaves the digits in no buffer but the PAN that it returns', () => {
  const card = { secret: randomBytes(32), dek: sampleDek('card', merchantA), owner: sampleOwner() }
  const blob = sealPan(samplePan(), card.secret, card.dek, card.owner)
  const seen = watch(() => openPan(blob, card.secret, card.dek, card.owner).wipe())
  assertSawAndWiped(seen)
})

test('what was deciphered before a seal turned out to be broken is wiped', () => {
  const card = { secret: randomBytes(32), dek: sampleDek('card', merchantA), owner: sampleOwner() }
  const blob = sealPan(samplePan(), card.secret, card.dek, card.owner)
  blob[111] = (blob[111] ?? 0) ^ 1
  const seen = watch(() => assert.throws(() => openPan(blob, card.secret, card.dek, card.owner), SealBrokenError))
  const deciphered = seen.filter(({ bytes }) => bytes.length === 66 && bytes.buffer.byteLength === 66)
  assert.ok(deciphered.length === 1 && deciphered.every(({ bytes }) => bytes.every((byte) => byte === 0)))
})

test('a limit subject leaves the digits in no buffer but the PAN itself', () => {
  const pan = samplePan()
  const seen = watch(() => hashLimitSubject(sampleDek('limits'), 'pan', pan))
  pan.wipe()
  assertSawAndWiped(seen)
})

test('a keyed hash leaves nothing of its input', () => {
  const key = createSecretKey(new Uint8Array(32))
  assertSawAndWiped(watch(() => keyedHash(key, 'label', [digits])))
  prepareHmacKey(key)
  assertSawAndWiped(watch(() => keyedHash(key, 'label', [digits])))
})

test('a key that is derived for one seal or opening is zeros afterwards', () => {
  const card = { secret: randomBytes(32), dek: sampleDek('card', merchantA), owner: sampleOwner() }
  const { stackTraceLimit } = Error
  const cardKeys = watchByteKeys(() => openPan(sealPan(samplePan(), card.secret, card.dek, card.owner), card.secret, card.dek, card.owner))
  const dek = sampleDek('idempotency')
  prepareHmacKey(dek.key)
  const caller = { environment: 'test', merchantId: merchantA, callerClass: 'server' }
  const digest = randomBytes(32)
  const outcomeKeys = watchByteKeys(() => openOutcome(dek, caller, digest, sealOutcome(dek, caller, digest, digits)))
  for (const keys of [cardKeys, outcomeKeys]) {
    assert.deepEqual(
      keys.map(({ wasZero }) => wasZero),
      [false, false],
    )
    for (const { key } of keys) assert.ok(key.every((byte) => byte === 0))
  }
  assert.equal(Error.stackTraceLimit, stackTraceLimit)
})

/** The keys, as bytes, of all ciphers that `work` makes. */
function watchByteKeys(work: () => unknown): { readonly key: Uint8Array; readonly wasZero: boolean }[] {
  const keys: { readonly key: Uint8Array; readonly wasZero: boolean }[] = []
  const mocks = (['createCipheriv', 'createDecipheriv'] as const).map((name) => {
    const original = crypto[name] as (...given: unknown[]) => unknown
    return mock.method(crypto, name, (...given: unknown[]) => {
      const [, key] = given
      if (key instanceof Uint8Array) keys.push({ key, wasZero: key.every((byte) => byte === 0) })
      return original(...given)
    })
  })
  syncBuiltinESMExports()
  try {
    work()
  } finally {
    for (const { mock: mocked } of mocks) mocked.restore()
    syncBuiltinESMExports()
  }
  return keys
}

interface Seen {
  readonly bytes: Uint8Array
  readonly heldDigits: boolean
}

/** What `work` gives to the primitives and gets from them. */
function watch(work: () => unknown): Seen[] {
  const seen: Seen[] = []
  const see = (bytes: unknown) => {
    if (bytes instanceof Uint8Array) seen.push({ bytes, heldDigits: holdsDigits(bytes) })
  }
  const key = createSecretKey(new Uint8Array(32))
  const nonce = new Uint8Array(12)
  const primitives = [createCipheriv('aes-256-gcm', key, nonce), createDecipheriv('aes-256-gcm', key, nonce), createHmac('sha256', key)]
  const mocks = primitives.map((primitive) => {
    const prototype = Object.getPrototypeOf(primitive) as { update: (bytes: unknown) => unknown }
    const update = prototype.update
    return mock.method(prototype, 'update', function (this: unknown, bytes: unknown) {
      see(bytes)
      const given = update.call(this, bytes)
      see(given)
      return given
    })
  })
  const { hash } = crypto
  const hashing = mock.method(crypto, 'hash', (...given: Parameters<typeof hash>) => {
    see(given[1])
    return hash(...given)
  })
  syncBuiltinESMExports()
  try {
    work()
  } finally {
    for (const { mock: mocked } of [...mocks, hashing]) mocked.restore()
    syncBuiltinESMExports()
  }
  return seen
}

/** The watch itself must have seen the digits, or it proves nothing. */
function assertSawAndWiped(seen: readonly Seen[]): void {
  assert.ok(seen.some(({ heldDigits }) => heldDigits))
  for (const { bytes } of seen) assert.ok(!holdsDigits(bytes))
}

function holdsDigits(bytes: Uint8Array): boolean {
  return Buffer.from(bytes).includes(digits)
}
