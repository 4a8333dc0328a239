import assert from 'node:assert/strict'
import { test } from 'node:test'

import { WrongKeyError } from './dek.ts'
import { isRowMacValid, macKeyIdOf, makeRowMac, type MacField } from './rowmac.ts'
import { sampleDek } from './samples.fixture.ts'

const dek = sampleDek('row_mac')
const row: readonly MacField[] = ['65f0c0ffee0000000000cafe', 7, false, 'live', '0399', 1_795_000_000_000, Uint8Array.of(1, 2, 3), null, '']

test('a row MAC is 48 bytes, names its key and is valid for its row', () => {
  const mac = makeRowMac(dek, 'cards', 'test', row)
  assert.equal(mac.length, 48)
  assert.equal(macKeyIdOf(mac), dek.keyId)
  assert.ok(isRowMacValid(dek, mac, 'cards', 'test', row))
})

test('the same row has the same MAC, so writing it again changes nothing', () => {
  assert.deepEqual(makeRowMac(dek, 'cards', 'test', row), makeRowMac(dek, 'cards', 'test', [...row]))
})

test('a change of any field, however small, is detected', () => {
  const mac = makeRowMac(dek, 'cards', 'test', row)
  for (const [at, field] of row.entries()) {
    for (const other of othersOf(field))
      assert.ok(!isRowMacValid(dek, mac, 'cards', 'test', row.with(at, other)), `field ${at}: ${String(other)}`)
    assert.ok(!isRowMacValid(dek, mac, 'cards', 'test', row.toSpliced(at, 1)), `without field ${at}`)
    assert.ok(!isRowMacValid(dek, mac, 'cards', 'test', row.toSpliced(at, 0, field)), `field ${at} twice`)
  }
})

test('the MAC of one table, environment or key is invalid for every other', () => {
  const mac = makeRowMac(dek, 'cards', 'test', row)
  assert.ok(!isRowMacValid(dek, mac, 'card', 'test', row))
  assert.ok(!isRowMacValid(dek, mac, 'cards', 'production', row))
  assert.ok(!isRowMacValid(dek, mac, 'test', 'cards', row))
  assert.ok(!isRowMacValid(sampleDek('row_mac'), mac, 'cards', 'test', row))
  assert.ok(!isRowMacValid({ ...sampleDek('row_mac'), keyId: dek.keyId }, mac, 'cards', 'test', row))
})

test('a MAC with any bit flipped, cut short or extended is invalid', () => {
  const mac = makeRowMac(dek, 'cards', 'test', row)
  for (let bit = 0; bit < mac.length * 8; bit++) {
    const flipped = Uint8Array.from(mac)
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.ok(!isRowMacValid(dek, flipped, 'cards', 'test', row), `bit ${bit}`)
  }
  for (let length = 0; length < mac.length; length++) assert.ok(!isRowMacValid(dek, mac.subarray(0, length), 'cards', 'test', row))
  assert.ok(!isRowMacValid(dek, Uint8Array.of(...mac, 0), 'cards', 'test', row))
})

test('a key of another purpose makes no row MAC', () => {
  assert.throws(() => makeRowMac(sampleDek('pepper'), 'cards', 'test', row), WrongKeyError)
})

function othersOf(field: MacField): MacField[] {
  if (typeof field === 'string') return [`${field}0`, field.slice(1) + field.slice(0, 1) + 'x', null, Uint8Array.from(Buffer.from(field))]
  if (typeof field === 'number') return [field + 1, -field, String(field), null]
  if (typeof field === 'boolean') return [!field, Number(field), null]
  if (field === null) return ['', 0, false, new Uint8Array()]
  return [
    Uint8Array.of(...field, 0),
    field.subarray(1),
    Uint8Array.from(field, (byte) => byte ^ 1),
    Buffer.from(field).toString('latin1'),
    null,
  ]
}
