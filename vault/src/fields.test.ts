import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { test } from 'node:test'

import fc from 'fast-check'

import { encodeFields, keyedHash, type MacField } from './fields.ts'

const anyField: fc.Arbitrary<MacField> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.uint8Array(),
  fc.constant(null),
)

test('encoded fields can be decoded, so no two lists of fields have the same encoding', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(anyField), (label, fields) => {
      assert.deepEqual(decode(encodeFields(label, fields)), [label, ...fields.map((field) => (field === 0 ? 0 : field))])
    }),
  )
})

test('values that print the same encode differently', () => {
  const alike: MacField[] = [
    '1',
    1,
    true,
    Uint8Array.of(1),
    Uint8Array.from(Buffer.from('1')),
    'true',
    '',
    null,
    0,
    false,
    new Uint8Array(),
    'null',
  ]
  const encoded = alike.map((field) => Buffer.from(encodeFields('label', [field])).toString('hex'))
  assert.equal(new Set(encoded).size, alike.length)
})

test('moving bytes from one field to the next changes the encoding', () => {
  const lists: MacField[][] = [['ab', 'c'], ['a', 'bc'], ['abc'], ['abc', ''], ['', 'abc'], ['ab', Uint8Array.from(Buffer.from('c'))]]
  const encoded = lists.map((fields) => Buffer.from(encodeFields('label', fields)).toString('hex'))
  encoded.push(Buffer.from(encodeFields('labe', ['lab', 'c'])).toString('hex'))
  assert.equal(new Set(encoded).size, encoded.length)
})

test('a Buffer encodes as the bytes it is', () => {
  assert.deepEqual(encodeFields('label', [Buffer.from('abc')]), encodeFields('label', [Uint8Array.of(0x61, 0x62, 0x63)]))
})

test('-0 is authenticated as 0, because no store distinguishes them', () => {
  assert.deepEqual(encodeFields('label', [-0]), encodeFields('label', [0]))
})

test('NaN, infinities and text that is not well-formed are rejected', () => {
  for (const field of [Number.NaN, Number.POSITIVE_INFINITY, '\ud800', 'a\udc00']) {
    assert.throws(() => encodeFields('label', [field]), RangeError)
  }
})

test('a keyed hash is 32 bytes and depends on key, label and fields', () => {
  const key = createSecretKey(new Uint8Array(32))
  const hashes = [
    keyedHash(key, 'label', ['a']),
    keyedHash(createSecretKey(Uint8Array.from({ length: 32 }, () => 1)), 'label', ['a']),
    keyedHash(key, 'Label', ['a']),
    keyedHash(key, 'label', ['b']),
    keyedHash(key, 'label', ['a', null]),
  ].map((hash) => Buffer.from(hash).toString('hex'))
  assert.equal(new Set(hashes).size, hashes.length)
  assert.ok(hashes.every((hash) => hash.length === 64))
})

/** Reads the encoding by what its docstring says. */
function decode(bytes: Uint8Array): MacField[] {
  const view = Buffer.from(bytes)
  const fields: MacField[] = []
  for (let at = 0; at < view.length;) {
    const from = at + 5
    const to = from + view.readUInt32BE(at + 1)
    fields.push(decodeField(view[at] ?? -1, view.subarray(from, to)))
    at = to
  }
  return fields
}

function decodeField(tag: number, bytes: Buffer): MacField {
  const readers: readonly (() => MacField)[] = [
    () => null,
    () => bytes.readUInt8() === 1,
    () => bytes.readDoubleBE(),
    () => bytes.toString(),
    () => Uint8Array.from(bytes),
  ]
  return readers[tag]?.() ?? null
}
