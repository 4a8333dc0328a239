import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'

import fc from 'fast-check'

import type { Pan } from '@tessera/contract/card'

import { sealsUnder, WrongKeyError, type Dek } from './dek.ts'
import { deriveKey } from './kdf.ts'
import { openLayer, sealLayer, type Layer } from './layer.ts'
import { anyDigits, digitsOf, merchantA, merchantB, panOf, sampleDek, sampleOwner, samplePan } from './samples.fixture.ts'
import { keyIdOf, openPan, resealBlob, sealPan, SealBrokenError, type CardOwner } from './seal.ts'

/** A sealed card and all that opens it. */
interface Sealed {
  readonly blob: Uint8Array
  readonly secret: Uint8Array
  readonly dek: Dek
  readonly owner: CardOwner
}

test('a card opens to the digits that were sealed, whatever their number', () => {
  fc.assert(
    fc.property(anyDigits, (digits) => {
      const { blob, secret, dek, owner } = sealed({ pan: panOf(digits) })
      assert.equal(digitsOf(openPan(blob, secret, dek, owner)), digits)
      assert.equal(blob.length, 112)
    }),
  )
})

test('the same card sealed twice has no block in common but the header', () => {
  const { dek, owner, secret, blob } = sealed()
  const again = sealPan(samplePan(), secret, dek, owner)
  assert.deepEqual(again.subarray(0, 18), blob.subarray(0, 18))
  for (const [from, to] of [
    [18, 30],
    [30, 96],
    [96, 112],
  ])
    assert.notDeepEqual(again.subarray(from, to), blob.subarray(from, to))
})

test('a blob names the data key of its outer layer', () => {
  const { blob, dek } = sealed()
  assert.equal(keyIdOf(blob), dek.keyId)
})

test('a foreign blob names no key', () => {
  const { blob } = sealed()
  const foreign = [
    new Uint8Array(),
    new Uint8Array(112),
    blob.subarray(0, 111),
    extended(blob, 0),
    changed(blob, 0, 2),
    changed(blob, 1, 2),
  ]
  for (const other of foreign) assert.equal(keyIdOf(other), null)
})

test('a blob with any one bit flipped does not open', () => {
  const card = sealed()
  for (let bit = 0; bit < card.blob.length * 8; bit++) {
    const flipped = changed(card.blob, bit >> 3, (card.blob[bit >> 3] ?? 0) ^ (1 << (bit & 7)))
    assertBroken({ ...card, blob: flipped }, `bit ${bit}`)
  }
})

test('a blob cut short anywhere does not open', () => {
  const card = sealed()
  for (let length = 0; length < card.blob.length; length++) {
    assertBroken({ ...card, blob: card.blob.slice(0, length) }, `first ${length} bytes`)
    assertBroken({ ...card, blob: card.blob.slice(card.blob.length - length) }, `last ${length} bytes`)
  }
})

test('a blob with anything behind or before it does not open', () => {
  const card = sealed()
  for (const byte of [0, 1, 0xff]) {
    assertBroken({ ...card, blob: extended(card.blob, byte) }, `${byte} behind`)
    assertBroken({ ...card, blob: Uint8Array.of(byte, ...card.blob) }, `${byte} before`)
  }
  assertBroken({ ...card, blob: Uint8Array.of(...card.blob, ...card.blob) }, 'twice')
})

test('a blob of another version or algorithm does not open', () => {
  const card = sealed()
  for (let value = 0; value < 256; value++) {
    if (value === 1) continue
    assertBroken({ ...card, blob: changed(card.blob, 0, value) }, `version ${value}`)
    assertBroken({ ...card, blob: changed(card.blob, 1, value) }, `algorithm ${value}`)
  }
})

test('bytes that were never a blob do not open', () => {
  const card = sealed()
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      assertBroken({ ...card, blob: bytes }, 'random')
      assertBroken({ ...card, blob: Uint8Array.of(...card.blob.subarray(0, 18), ...bytes) }, 'right head')
    }),
  )
})

test('among cards of two environments, merchants and keys, each blob opens with its own secret, key and owner and no other combination', () => {
  const deks = [sampleDek('card', merchantA), sampleDek('card', merchantA), sampleDek('card', merchantB)]
  const cards = deks.flatMap((dek) => [
    sealed({ dek, owner: sampleOwner({ merchantId: dek.owner }) }),
    sealed({ dek, owner: sampleOwner({ merchantId: dek.owner }) }),
    sealed({ dek, owner: sampleOwner({ merchantId: dek.owner, environment: 'production' }) }),
  ])
  let opened = 0
  for (const { blob } of cards) {
    for (const { secret } of cards) {
      for (const { owner } of cards) {
        for (const dek of deks) {
          const isOwn = cards.some((card) => card.blob === blob && card.secret === secret && card.owner === owner && card.dek === dek)
          if (isOwn) opened += Number(openPan(blob, secret, dek, owner).masked === '860006******6311')
          else assertBroken({ blob, secret, dek, owner }, 'another combination')
        }
      }
    }
  }
  assert.equal(opened, cards.length)
})

test('a blob does not open for an owner that differs in one member only', () => {
  const card = sealed()
  const others = [{ environment: 'production' }, { environment: '' }, { merchantId: merchantB }, { cardId: 'f'.repeat(24) }]
  for (const other of others) assertBroken({ ...card, owner: { ...card.owner, ...other } }, JSON.stringify(other))
})

test('an owner whose ids are not 24 hex digits can neither seal nor open', () => {
  const card = sealed()
  for (const id of ['', 'cafe', `${merchantA}0`, merchantA.toUpperCase(), `${merchantA.slice(0, 23)}\n`]) {
    for (const other of [{ merchantId: id }, { cardId: id }]) {
      const owner = { ...card.owner, ...other }
      assertBroken({ ...card, owner }, id)
      assert.throws(() => sealPan(samplePan(), card.secret, card.dek, owner), RangeError)
    }
  }
})

test('a secret of another length or with any one bit flipped opens nothing', () => {
  const card = sealed()
  for (let bit = 0; bit < 256; bit++) {
    assertBroken({ ...card, secret: changed(card.secret, bit >> 3, (card.secret[bit >> 3] ?? 0) ^ (1 << (bit & 7))) }, `bit ${bit}`)
  }
  for (const secret of [new Uint8Array(), card.secret.subarray(0, 31), extended(card.secret, 0)]) {
    assertBroken({ ...card, secret }, `${secret.length} bytes`)
    assert.throws(() => sealPan(samplePan(), secret, card.dek, card.owner), RangeError)
  }
})

test('a card with the same key id under another key does not open', () => {
  const card = sealed()
  assertBroken({ ...card, dek: { ...sampleDek('card', merchantA), keyId: card.dek.keyId } }, 'another key')
})

test('a key of another purpose or owner seals and opens nothing', () => {
  const card = sealed()
  for (const other of [sampleDek('card', merchantB), sampleDek('otp', merchantA), sampleDek('row_mac'), sampleDek('card')]) {
    const dek = { ...card.dek, purpose: other.purpose, owner: other.owner }
    assertBroken({ ...card, dek }, `${dek.purpose} ${dek.owner}`)
    assert.throws(() => sealPan(samplePan(), card.secret, dek, card.owner), WrongKeyError)
    assert.throws(() => resealBlob(card.blob, card.dek, dek, card.owner), WrongKeyError)
    assert.throws(() => resealBlob(card.blob, dek, card.dek, card.owner), SealBrokenError)
  }
})

test('every fault throws the same error, which reveals nothing', () => {
  const card = sealed()
  const faults: Sealed[] = [
    { ...card, blob: new Uint8Array() },
    { ...card, blob: changed(card.blob, 111, (card.blob[111] ?? 0) ^ 1) },
    { ...card, secret: randomBytes(32) },
    { ...card, secret: new Uint8Array() },
    { ...card, dek: sampleDek('card', merchantA) },
    { ...card, dek: sampleDek('card', merchantB) },
    { ...card, owner: sampleOwner() },
  ]
  for (const fault of faults) {
    const thrown = assertBroken(fault, 'fault')
    assert.deepEqual([thrown.name, thrown.message, thrown.cause], ['SealBrokenError', 'this seal does not open', undefined])
    assert.deepEqual(Object.keys(thrown), ['name'])
  }
})

test('the database and every data key together open no card: the inner layer needs the secret', () => {
  const card = sealed()
  const inner = openLayer(outerLayerOf(card), card.blob)
  assert.equal(inner.length, 66)
  assert.equal(Buffer.from(inner).indexOf('8600069195406311'), -1)
  const guesses = [card.dek.key, deriveKey(card.dek.key, 'tessera card inner key', card.owner.merchantId + card.owner.cardId)]
  for (const key of guesses) assert.throws(() => openLayer({ ...innerLayerOf(card), key }, inner), SealBrokenError)
})

test('an inner layer put under the outer layer of another card opens for neither', () => {
  const dek = sampleDek('card', merchantA)
  const [one, other] = [sealed({ dek }), sealed({ dek })]
  const spliced = sealLayer(outerLayerOf(one), openLayer(outerLayerOf(other), other.blob))
  assertBroken({ ...one, blob: spliced }, 'with its own secret')
  assertBroken({ ...one, secret: other.secret, blob: spliced }, "with the other's secret")
})

test('an inner layer is no outer layer, even under one key', () => {
  const card = sealed()
  const outer = outerLayerOf(card)
  const asInner = sealLayer({ ...outer, bound: innerLayerOf(card).bound }, new Uint8Array(66))
  assert.throws(() => openLayer(outer, asInner), SealBrokenError)
})

test('a resealed card opens only under the new key, with its old secret', () => {
  const card = sealed()
  const to = sampleDek('card', merchantA)
  const blob = resealBlob(card.blob, card.dek, to, card.owner)
  assert.equal(keyIdOf(blob), to.keyId)
  assert.equal(digitsOf(openPan(blob, card.secret, to, card.owner)), '8600069195406311')
  assertBroken({ ...card, blob }, 'the old key')
  assertBroken({ ...card, dek: to }, 'the old blob')
})

test('resealing leaves the inner layer unchanged, to the byte', () => {
  const card = sealed()
  const to = sampleDek('card', merchantA)
  const inner = openLayer(outerLayerOf(card), card.blob)
  const resealed = resealBlob(card.blob, card.dek, to, card.owner)
  assert.deepEqual(openLayer(outerLayerOf({ ...card, dek: to }), resealed), inner)
})

test('resealing rejects a broken blob and one of another owner', () => {
  const card = sealed()
  const to = sampleDek('card', merchantA)
  for (let at = 0; at < card.blob.length; at++) {
    const flipped = changed(card.blob, at, (card.blob[at] ?? 0) ^ 0x80)
    assert.throws(() => resealBlob(flipped, card.dek, to, card.owner), SealBrokenError)
  }
  assert.throws(() => resealBlob(card.blob, card.dek, to, sampleOwner()), SealBrokenError)
  assert.throws(() => resealBlob(card.blob, to, card.dek, card.owner), SealBrokenError)
})

test('sealing and resealing count against the key that they use, opening does not', () => {
  const card = sealed()
  assert.equal(sealsUnder(card.dek), 1)
  openPan(card.blob, card.secret, card.dek, card.owner)
  const to = sampleDek('card', merchantA)
  resealBlob(card.blob, card.dek, to, card.owner)
  assert.deepEqual([sealsUnder(card.dek), sealsUnder(to)], [1, 1])
})

test('sealing leaves the PAN and the secret to the caller, and opening returns a new PAN', () => {
  const card = sealed()
  const pan = openPan(card.blob, card.secret, card.dek, card.owner)
  pan.wipe()
  const again = openPan(card.blob, card.secret, card.dek, card.owner)
  assert.equal(digitsOf(again), '8600069195406311')
})

test('a wiped PAN is not sealed as zeros', () => {
  const pan = samplePan()
  pan.wipe()
  assert.throws(() => sealed({ pan }), /wiped/)
})

test('a blob has memory of its own, so that posting it to a thread copies nothing else', () => {
  const { blob } = sealed()
  assert.equal(blob.buffer.byteLength, 112)
  assert.equal(structuredClone(blob).buffer.byteLength, 112)
})

function sealed(given: { pan?: Pan; dek?: Dek; owner?: CardOwner } = {}): Sealed {
  const { pan = samplePan(), dek = sampleDek('card', merchantA), owner = sampleOwner() } = given
  const secret = Uint8Array.from(randomBytes(32))
  return { blob: sealPan(pan, secret, dek, owner), secret, dek, owner }
}

function assertBroken({ blob, secret, dek, owner }: Sealed, what: string): Error {
  try {
    openPan(blob, secret, dek, owner)
  } catch (thrown) {
    assert.ok(thrown instanceof SealBrokenError, `${what}: ${String(thrown)}`)
    return thrown
  }
  return assert.fail(`it opened: ${what}`)
}

function outerLayerOf({ dek, owner }: Sealed): Layer {
  return { key: dek.key, keyId: Buffer.from(dek.keyId, 'hex'), bound: boundOf(owner, 'outer') }
}

function innerLayerOf({ dek, owner }: Sealed): Layer {
  return { key: dek.key, keyId: Buffer.from('tessera inner 01'), bound: boundOf(owner, 'inner') }
}

function boundOf({ environment, merchantId, cardId }: CardOwner, layer: string): Layer['bound'] {
  return [environment, merchantId, cardId, layer]
}

function changed(bytes: Uint8Array, at: number, value: number): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy[at] = value
  return copy
}

function extended(bytes: Uint8Array, byte: number): Uint8Array {
  return Uint8Array.of(...bytes, byte)
}
