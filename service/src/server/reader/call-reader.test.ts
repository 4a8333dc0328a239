import assert from 'node:assert/strict'
import { test } from 'node:test'

import { writeRequestId } from '@tessera/contract/envelope'

import { parseFault, plain, read, readOne } from '../../testing/reading.fixture.ts'
import { grouped, testPan } from '../../testing/pans.fixture.ts'

test('an id keeps its own type: string, integer of up to 32 digits or null; absent is null', () => {
  const taken: [id: string, read: unknown][] = [
    ['"a"', 'a'],
    ['""', ''],
    ['"\\u0041\\n"', 'A\n'],
    [`"${'x'.repeat(128)}"`, 'x'.repeat(128)],
    [`"${'👍'.repeat(128)}"`, '👍'.repeat(128)],
    ...['0', '-0', '-7', '9007199254740991', '9223372036854775807', '-9223372036854775808', '9'.repeat(32), `-${'9'.repeat(32)}`].map(
      (integer): [string, unknown] => [integer, { integer }],
    ),
    ['null', null],
  ]
  for (const [id, expected] of taken) {
    const call = readOne(`{"id":${id},"method":"m"}`)
    assert.deepEqual([call.id, call.requestFault], [expected, null], id)
  }
  assert.equal(readOne('{"method":"m"}').id, null)
})

test('any other id is refused and not echoed', () => {
  const refused = [
    '1.0',
    '1e3',
    '1.5',
    '1'.repeat(33),
    '1e400',
    '9223372036854775807.0',
    'true',
    'false',
    '[]',
    '[1]',
    '{}',
    '{"id":1}',
    `"${'x'.repeat(129)}"`,
  ]
  for (const id of [...refused, `"${'👍'.repeat(129)}"`]) {
    const call = readOne(`{"id":${id},"method":"m"}`)
    assert.deepEqual([call.id, call.requestFault?.entry], [null, 'invalidRequestId'], id)
  }
})

test('the version is absent, "1.0" or "2.0"', () => {
  for (const member of ['', '"jsonrpc":"2.0",', '"jsonrpc":"1.0",'])
    assert.equal(readOne(`{${member}"method":"m"}`).requestFault, null, member)
  for (const version of ['"2"', '2.0', '2', 'null', '"3.0"', '[]', '""'])
    assert.equal(readOne(`{"jsonrpc":${version},"method":"m"}`).requestFault?.entry, 'invalidVersion', version)
})

test('a method is a string; without one nothing is called', () => {
  for (const member of ['', '"method":null,', '"method":5,', '"method":{},', '"method":["m"],', '"Method":"m",'])
    assert.equal(readOne(`{${member}"id":1}`).requestFault?.entry, 'methodMissing', member)
  assert.equal(readOne('{"m\\u0065thod":"m\\u006d"}').method, 'mm')
})

test('params are an object; absent is an empty one', () => {
  assert.deepEqual(plain(readOne('{"method":"m"}').params), {})
  for (const params of ['null', '[]', '[{}]', '"a"', '5', 'true'])
    assert.equal(readOne(`{"method":"m","params":${params}}`).paramsFault?.entry, 'paramsNotObject', params)
})

test('the path and the method are the same, letter for letter', () => {
  assert.equal(readOne('{"method":"cards.create"}', 'cards.create').requestFault, null)
  assert.equal(readOne('{"method":"cards\\u002ecreate"}', 'cards.create').requestFault, null)
  for (const segment of [
    'cards%2Ecreate',
    'Cards.create',
    'cards.create ',
    'cards.creat',
    'cards.create;a',
    'cards.check',
    '%63ards.create',
    'é',
  ])
    assert.equal(readOne('{"method":"cards.create"}', segment).requestFault?.entry, 'pathMismatch', segment)
  assert.equal(readOne('{"id":1}', 'cards.create').requestFault?.entry, 'methodMissing')
})

test('a JSON text that is not an object is not a call', () => {
  for (const text of ['1', '"a"', 'null', 'true', '-0.5']) assert.equal(readOne(text).requestFault?.entry, 'notAnObject', text)
})

test('a duplicate member is refused, however it is escaped, and a duplicate id is not echoed', () => {
  const cases: [text: string, member: string, id: unknown][] = [
    ['{"id":1,"id":1,"method":"m"}', 'id', null],
    ['{"id":1,"method":"m","method":"m"}', 'method', 1],
    ['{"id":1,"method":"m","params":{},"par\\u0061ms":{}}', 'params', 1],
    ['{"id":1,"method":"m","params":{"cvv":1,"cvv":2}}', 'params.cvv', 1],
    ['{"id":1,"method":"m","params":{"a":1,"a":2}}', 'params.a', 1],
    ['{"id":1,"method":"m","params":{"card":{"number":"1","numb\\u0065r":"2"}}}', 'params.card.number', 1],
    ['{"method":"m","params":{"list":[{},{"a":1,"a":1}]},"id":1}', 'params.list.1.a', 1],
    ['{"id":1,"method":"m","params":{"a b":1,"a b":2}}', 'params.*', 1],
  ]
  for (const [text, data, id] of cases) {
    const call = readOne(text)
    assert.deepEqual([call.requestFault, writeRequestId(call.id)], [{ entry: 'duplicateKey', data }, JSON.stringify(id)], text)
  }
})

test('__proto__ and constructor are never members, however they are escaped, and reach no prototype', () => {
  for (const name of ['__proto__', '\\u005f_proto__', 'constructor', 'c\\u006fnstructor'])
    for (const text of [`{"id":1,"${name}":1,"method":"m"}`, `{"id":1,"method":"m","params":{"a":[{"${name}":{"x":1}}]}}`]) {
      const call = readOne(text)
      assert.deepEqual([call.requestFault?.entry, call.id], ['forbiddenMember', { integer: '1' }], text)
      assert.equal(({} as { x?: unknown }).x, undefined)
    }
})

test('members that every object inherits elsewhere are absent until they are sent', () => {
  const { params } = readOne('{"method":"m","params":{"valueOf":1}}')
  assert.deepEqual(['toString' in params, params.hasOwnProperty, params.constructor, params.valueOf], [false, undefined, undefined, 1])
})

test('sixteen levels are accepted, seventeen are not; the id is still read', () => {
  const nest = (levels: number): string => `{"method":"m","params":${'{"a":'.repeat(levels - 1)}[]${'}'.repeat(levels - 1)},"id":1}`
  assert.equal(readOne(nest(15)).requestFault, null)
  const call = readOne(nest(16))
  assert.deepEqual([call.requestFault?.entry, call.id], ['tooDeep', { integer: '1' }])
})

test('256 members and elements are accepted, 257 are not; the id is still read', () => {
  const filled = (length: number): string => `{"method":"m","params":{"list":[${Array.from({ length }, () => 0).join(',')}]},"id":1}`
  assert.equal(readOne(filled(252)).requestFault, null)
  const call = readOne(filled(253))
  assert.deepEqual([call.requestFault?.entry, call.id], ['tooManyMembers', { integer: '1' }])
  const wide = `{${Array.from({ length: 5000 }, (_, i) => `"m${i}":0`).join(',')},"id":"last"}`
  assert.deepEqual([readOne(wide).requestFault?.entry, readOne(wide).id], ['tooManyMembers', 'last'])
})

test('of two faults of a request the first in the table of errors is reported', () => {
  const cases: [text: string, entry: string][] = [
    ['{"params":{"constructor":1,"a":1,"a":2},"method":"m"}', 'duplicateKey'],
    [`{"params":${'['.repeat(17)}${']'.repeat(17)},"constructor":1}`, 'forbiddenMember'],
    [`{"x":[${'0,'.repeat(300)}0],"id":1.5}`, 'tooManyMembers'],
    ['{"id":1.5,"jsonrpc":"9"}', 'invalidRequestId'],
    ['{"jsonrpc":"9"}', 'invalidVersion'],
  ]
  for (const [text, entry] of cases) assert.equal(readOne(text).requestFault?.entry, entry, text)
})

test('a batch holds 1 to 20 calls, each read on its own', () => {
  const batch = read('[{"id":1,"method":"m"},5,{"id":2,"method":"m","a":1,"a":1},{"id":3,"method":"m"}]')
  assert.ok(batch.kind === 'batch')
  assert.deepEqual(
    batch.calls.map(({ id, requestFault }) => [writeRequestId(id), requestFault?.entry ?? null]),
    [
      ['1', null],
      ['null', 'notAnObject'],
      ['2', 'duplicateKey'],
      ['3', null],
    ],
  )
  assert.deepEqual(read('[]'), { kind: 'refused', entry: 'batchEmpty' })
  assert.equal(read(`[${Array.from({ length: 20 }, () => '{}').join(',')}]`).kind, 'batch')
  assert.deepEqual(read(`[${Array.from({ length: 21 }, () => '{}').join(',')}]`), { kind: 'refused', entry: 'batchTooLong' })
  assert.deepEqual(read('[{"id":1,"method":"m"}]', 'm'), { kind: 'refused', entry: 'batchNotHere' })
  assert.equal(parseFault('[{"id":1,"method":"m"},'), 'invalidJson')
})

test('limits of size and depth are those of one call, not of a batch', () => {
  const call = `{"method":"m","params":{"list":[${'0,'.repeat(249)}0]}}`
  const batch = read(`[${Array.from({ length: 20 }, () => call).join(',')}]`)
  assert.ok(batch.kind === 'batch' && batch.calls.every(({ requestFault }) => requestFault === null))
})

test('a card number in an id is not echoed, in a method it names no method, and neither becomes text', () => {
  for (const id of [`"${testPan}"`, testPan, `"order ${grouped(testPan, '-')}"`, `"${escaped(testPan)}"`]) {
    const call = readOne(`{"id":${id},"method":"m"}`)
    assert.deepEqual([call.id, call.paramsFault, call.requestFault], [null, { entry: 'panOutOfPlace', data: 'id' }, null], id)
  }
  const call = readOne(`{"id":1,"method":"${testPan}"}`)
  assert.deepEqual([call.id, call.method, call.requestFault], [{ integer: '1' }, null, null])
  assert.equal(readOne(`{"method":"${testPan}"}`, testPan).requestFault, null)
  assert.equal(readOne(`{"method":"${testPan}"}`, 'cards.create').requestFault?.entry, 'pathMismatch')
})

test('the cost of a crafted body does not grow with the square of its size', () => {
  const colliding = Array.from({ length: 6000 }, (_, i) => `"${(i * 4096).toString().padStart(8, '0')}":0`)
  const bodies = [
    `{"method":"m","params":{${colliding.join(',')}}}`.slice(0, 64_000),
    `{${colliding.join(',')}}`.slice(0, 64_000),
    `[${Array.from({ length: 20 }, () => `{"a":{${colliding.slice(0, 250).join(',')}}}`).join(',')}]`,
    `{${'"id":1,'.repeat(8000)}"id":1}`,
    `[${'{"a":'.repeat(10_000)}`,
    `{"a":"${'\\u0038'.repeat(10_000)}"}`,
    `{"a":"${'8600 0691 9540 6312 '.repeat(3000)}"}`,
  ]
  const harmless = `{"method":"m","params":{${Array.from({ length: 3000 }, (_, i) => `"name${i}":"text ${i}"`).join(',')}}}`.slice(
    0,
    64_000,
  )
  const harmlessMs = leastMs(harmless)
  for (const body of bodies) {
    const ms = leastMs(body)
    assert.ok(ms < 100 * harmlessMs * harmlessMs, `${ms} ms, and ${harmlessMs} ms for a harmless body: ${body.slice(0, 40)}`)
  }
})

/** The least of several readings: what else the machine does only ever adds to one. The worst here is at 20 times a harmless body of its size, whatever the size; a quadratic reader would be at thousands. */
function leastMs(body: string): number {
  return Math.min(
    ...Array.from({ length: 20 }, () => {
      const startedAt = performance.now()
      parseFault(body)
      return performance.now() - startedAt
    }),
  )
}

function escaped(text: string): string {
  return Array.from(text, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')
}
