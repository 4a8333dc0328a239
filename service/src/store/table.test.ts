import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from './statement.ts'
import { boolean, bytes, checked, integer, mappedText, oneOf, quotedText, RowBroken, rowMac, text, timestamp } from './columns.ts'
import { table, type RowOf } from './table.ts'

// prettier-ignore
const thingsTable = table('things', {
  bucket:    integer().key(),
  thingId:   text().key(),
  version:   integer(),
  state:     oneOf('new', 'old'),
  code:      checked(text(), (stored): stored is `${number}` => /^[0-9]+$/.test(stored)),
  note:      quotedText().nullable(),
  isOpen:    boolean(),
  blob:      bytes().nullable(),
  names:     mappedText((stored) => (stored === '' ? null : stored.split(',')), (names) => names.join(',')),
  createdOn: timestamp().named('created_at'),
  attempts:  integer().notCovered('a counter'),
  mac:       rowMac(),
})
type Thing = RowOf<typeof thingsTable>

const thing: Thing = {
  bucket: 3,
  thingId: 'a',
  version: 2,
  state: 'old',
  code: '17',
  note: 'with \u0000 in it',
  isOpen: true,
  blob: null,
  names: ['x', 'y'],
  createdOn: 1_700_000_000_000,
  attempts: 0,
  mac: new Uint8Array([1]),
}

const stored: Row = {
  bucket: 3,
  thing_id: 'a',
  version: 2,
  state: 'old',
  code: '17',
  note: '"with \\u0000 in it"',
  is_open: 1,
  blob: null,
  names: 'x,y',
  created_at: 1_700_000_000_000,
  attempts: 0,
  mac: new Uint8Array([1]),
}

test('a row becomes the values of its columns, and those become the row again', () => {
  assert.deepEqual(thingsTable.toValues(thing), Object.values(stored))
  assert.deepEqual(thingsTable.fromRow(stored), thing)
})

test('the statements name the columns in the order of the map', () => {
  const columns = 'bucket, thing_id, version, state, code, note, is_open, blob, names, created_at, attempts, mac'
  assert.equal(thingsTable.columns, columns)
  assert.equal(
    thingsTable.insertStatement.text,
    `insert into things (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
  )
  assert.equal(
    thingsTable.updateStatement.text,
    'update things set version = $3, state = $4, code = $5, note = $6, is_open = $7, blob = $8, names = $9, created_at = $10, ' +
      'attempts = $11, mac = $12 where bucket = $1 and thing_id = $2 and version = $13 returning version',
  )
  assert.equal(thingsTable.insertNewStatement.text, `${thingsTable.insertStatement.text} on conflict do nothing`)
  assert.equal(
    thingsTable.insertNewRowsStatement.text,
    `insert into things (${columns}) select * from unnest($1::integer[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::text[], ` +
      '$7::smallint[], $8::bytea[], $9::text[], $10::bigint[], $11::integer[], $12::bytea[]) on conflict do nothing',
  )
  assert.match(thingsTable.replaceSql, /^set version = excluded.version, .* mac = excluded.mac$/)
})

test('a value that this service never wrote names its column and nothing of its content', () => {
  const wrong: Row = {
    bucket: '3',
    thing_id: 4,
    version: 2 ** 53,
    state: 'older',
    code: 'x',
    note: 'no JSON',
    is_open: 2,
    blob: 'text',
    names: '',
    created_at: null,
    attempts: 0.5,
    mac: null,
  }
  for (const [column, value] of Object.entries(wrong)) {
    assert.throws(
      () => thingsTable.fromRow({ ...stored, [column]: value }),
      (err) => err instanceof RowBroken && err.column === column && err.message === `a stored row is broken at column ${column}`,
    )
  }
})

test('the map says what the MAC of a row covers: every column that is not left out, a mapped one by its text', () => {
  const { bucket, thingId, version, state, code, note, isOpen, blob, createdOn } = thing
  assert.deepEqual(thingsTable.macFields(thing), [bucket, thingId, version, state, code, note, isOpen, blob, 'x,y', createdOn])
})

test('an order of its own holds constants, and a column may be covered by fields of its own', () => {
  const names = mappedText(
    (stored) => stored.split(','),
    (parts) => parts.join(','),
  )
  const ordered = table('ordered', {
    a: text().key(),
    names: names.coveredAs((parts) => [parts.length, ...parts]),
    mac: rowMac('names', { constant: 'v1' }, 'a'),
  })
  assert.deepEqual(ordered.macFields({ a: 'x', names: ['y', 'z'], mac: thing.mac }), [2, 'y', 'z', 'v1', 'x'])
})

test('a table without a MAC says why', () => {
  const plain = { a: text().key(), mac: bytes() }
  const { macFields, noMacBecause } = table('plain', plain, 'shown only')
  assert.deepEqual([macFields, noMacBecause], [null, 'shown only'])
  assert.throws(() => table('plain', plain), /plain needs either a MAC or a reason/)
  assert.throws(() => table('plain', { ...plain, mac: rowMac() }, 'shown only'), /plain needs either a MAC or a reason/)
})

test('a map is refused whose MAC neither covers a column nor says why not', () => {
  const column = { a: text().key(), b: integer() }
  assert.throws(() => table('t', { ...column, mac: rowMac('a') }), /the MAC of t neither covers b nor says why not/)
  assert.throws(() => table('t', { ...column, mac: rowMac('a', 'b', 'c') }), /cannot cover c/)
  assert.throws(() => table('t', { ...column, mac: rowMac('a', 'b', 'a') }), /cannot cover a/)
  assert.throws(() => table('t', { ...column, c: text().notCovered('a counter'), mac: rowMac('a', 'b', 'c') }), /cannot cover c/)
  assert.throws(() => table('t', { ...column, c: text().notCovered('a counter') }, 'no MAC'), /t has no MAC, and says that c is left out/)
})
