import assert from 'node:assert/strict'
import crypto, { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { mock, test } from 'node:test'

import { hmacSha256, hmacSha256Of, hmacSha256Once, prepareHmacKey, sha256, wipeHmacKey } from './hmac.ts'
import { openKeyring } from './keyring.ts'
import { memoryKeys, sampleKek } from './samples.fixture.ts'

/** Around the blocks of SHA-256, and beyond the buffer that is used again. */
const lengths = [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 300, 4031, 4032, 4033, 9000]

test('an HMAC is that of Node, prepared or not, for keys and messages of any length', () => {
  for (const keyLength of [1, 20, 32, 63, 64]) {
    const raw = randomBytes(keyLength)
    const [prepared, plain] = [createSecretKey(raw), createSecretKey(raw)]
    prepareHmacKey(prepared)
    for (const length of lengths) {
      const message = randomBytes(length)
      const expected = createHmac('sha256', raw).update(message).digest('hex')
      const write = (bytes: Buffer, from: number): number => from + message.copy(bytes, from)
      const written = [prepared, plain].map((key) => hmacSha256Of(key, length, write))
      const made = [hmacSha256(prepared, message), hmacSha256(plain, message), hmacSha256Once(raw, message), ...written]
      assert.deepEqual(
        made.map(toHex),
        made.map(() => expected),
        `a key of ${keyLength} bytes, a message of ${length}`,
      )
    }
  }
})

test('a key that is longer than a block is refused', () => {
  const raw = randomBytes(65)
  assert.throws(() => prepareHmacKey(createSecretKey(raw)), RangeError)
  assert.throws(() => hmacSha256Once(raw, new Uint8Array(1)), RangeError)
})

test('SHA-256 is that of Node', () => {
  for (const input of ['', 'abc', 'ʻ', randomBytes(100)])
    assert.equal(toHex(sha256(input)), crypto.createHash('sha256').update(input).digest('hex'))
})

test('the bytes of a prepared key are wiped with it, and its HMACs stay right', () => {
  const raw = randomBytes(32)
  const key = createSecretKey(raw)
  const seen = watchBytes(() => {
    prepareHmacKey(key)
    hmacSha256(key, Buffer.from('a message'))
  })
  assert.equal(heldKey(seen, raw), 2, 'both padded blocks are stored')
  wipeHmacKey(key)
  assert.equal(heldKey(seen, raw), 0)
  const later = watchBytes(() =>
    assert.equal(toHex(hmacSha256(key, Buffer.from('x'))), createHmac('sha256', raw).update('x').digest('hex')),
  )
  assert.equal(heldKey(later, raw), 0, 'and not stored again')
})

test('between two HMACs no buffer that is used again holds a key or a message', () => {
  const raw = randomBytes(32)
  const key = createSecretKey(raw)
  const message = Buffer.from('8600069195406311')
  prepareHmacKey(key)
  const seen = watchBytes(() => {
    hmacSha256(key, message)
    hmacSha256Once(raw, message)
    hmacSha256Of(key, message.length, (bytes, from) => from + message.copy(bytes, from))
  })
  assert.ok(seen.filter(({ hadBytes }) => hadBytes.includes(message)).length >= 3)
  assert.ok(seen.every(({ bytes }) => bytes === message || !Buffer.from(bytes).includes(message)))
  wipeHmacKey(key)
  assert.equal(heldKey(seen, raw), 0)
})

test('a key that is destroyed in the keyring is wiped', async () => {
  let now = 1_795_000_000_000
  const keyring = await openKeyring({ kek: sampleKek(), keys: memoryKeys(), environment: 'test', now: () => now })
  const dek = await keyring.active('limits')
  const raw = dek.key.export()
  const seen = watchBytes(() => hmacSha256(dek.key, new Uint8Array(1)))
  assert.equal(heldKey(seen, raw), 2)
  now += 3 * 86_400_000
  assert.equal(await keyring.destroyExpired(), 1)
  assert.equal(heldKey(seen, raw), 0)
})

interface SeenBytes {
  readonly bytes: Uint8Array
  readonly hadBytes: Buffer
}

/** The bytes that are hashed or copied meanwhile, themselves and as they were. */
function watchBytes(work: () => unknown): SeenBytes[] {
  const seen: SeenBytes[] = []
  const see = (bytes: unknown): unknown => bytes instanceof Uint8Array && seen.push({ bytes, hadBytes: Buffer.from(bytes) })
  const { hash } = crypto
  const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as { set: (from: ArrayLike<number>, at?: number) => void }
  const { set } = typedArray
  const hashing = mock.method(crypto, 'hash', (...given: Parameters<typeof hash>) => {
    see(given[1])
    return hash(...given)
  })
  typedArray.set = function (this: Uint8Array, from, at) {
    if (from instanceof Uint8Array && from.length === 64) see(from)
    set.call(this, from, at)
  }
  syncBuiltinESMExports()
  try {
    work()
  } finally {
    typedArray.set = set
    hashing.mock.restore()
    syncBuiltinESMExports()
  }
  return seen
}

/** In how many different arrays a padded block of the key is now. */
function heldKey(seen: readonly SeenBytes[], raw: Uint8Array): number {
  const blocks = [0x36, 0x5c].map((pad) => Buffer.from(raw.map((byte) => byte ^ pad)))
  const holding = seen.filter(({ bytes }) => blocks.some((block) => Buffer.from(bytes).includes(block)))
  return new Set(holding.map(({ bytes }) => bytes.buffer)).size
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
