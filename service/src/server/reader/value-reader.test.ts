import assert from 'node:assert/strict'
import { test } from 'node:test'

import { grouped, makePan, testPan } from '../../testing/pans.fixture.ts'
import { plain, readOne, readParamValue } from '../../testing/reading.fixture.ts'

test('the card number is extracted as sent, and blanked in the body', () => {
  const spellings = [
    testPan,
    ` ${testPan}\\t`,
    escaped(testPan),
    testPan.replace('8', '\\u0038'),
    grouped(testPan, ' '),
    'letters',
    '',
    '0'.repeat(60_000),
  ]
  for (const spelling of spellings) {
    const call = readOne(`{"method":"m","params":{"card":{"expire":"0399","number":"${spelling}"},"save":true}}`)
    assert.equal(Buffer.from(call.cardNumber ?? []).toString(), JSON.parse(`"${spelling}"`))
    assert.deepEqual(plain(call.params), { card: { expire: '0399', number: '' }, save: true })
    assert.deepEqual([call.requestFault, call.paramsFault], [null, null])
  }
})

test('it is extracted for any method, and however its path is escaped', () => {
  const call = readOne(`{"m\\u0065thod":"nobody","par\\u0061ms":{"c\\u0061rd":{"n\\u0075mber":"${testPan}"}}}`)
  assert.equal(Buffer.from(call.cardNumber ?? []).toString(), testPan)
})

test('a value of another type at params.card.number goes to the schema', () => {
  for (const [value, expected] of [
    ['null', null],
    ['true', true],
    ['{}', {}],
    ['[]', []],
  ] as const) {
    const call = readOne(`{"method":"m","params":{"card":{"number":${value}}}}`)
    assert.deepEqual([call.cardNumber, plain(call.params), call.paramsFault], [null, { card: { number: expected } }, null], value)
  }
})

test('a JSON number at params.card.number is refused and not read', () => {
  for (const number of [testPan, '5', '-1.5e3', '1e400']) {
    const call = readOne(`{"method":"m","params":{"card":{"number":${number}}}}`)
    assert.deepEqual(call.paramsFault, { entry: 'memberInvalid', data: 'card.number' })
    assert.deepEqual([call.cardNumber, plain(call.params)], [null, { card: { number: null } }])
  }
})

test('a card number anywhere but at params.card.number is misplaced, and reported by its path', () => {
  const places: [text: string, path: string][] = [
    [`{"method":"m","params":{"number":"${testPan}"}}`, 'number'],
    [`{"method":"m","params":{"card":"${testPan}"}}`, 'card'],
    [`{"method":"m","params":{"card":{"pan":"${testPan}"}}}`, 'card.pan'],
    [`{"method":"m","params":{"card":{"number":{"number":"${testPan}"}}}}`, 'card.number.number'],
    [`{"method":"m","params":{"card":{"number":["${testPan}"]}}}`, 'card.number.0'],
    [`{"method":"m","params":{"card":[{"number":"${testPan}"}]}}`, 'card.0.number'],
    [`{"method":"m","params":[{"card":{"number":"${testPan}"}}]}`, '0.card.number'],
    [`{"method":"m","params":{"data":{"card":{"number":"${testPan}"}}}}`, 'data.card.number'],
    [`{"method":"m","card":{"number":"${testPan}"}}`, 'card.number'],
    [`{"method":"m","extra":["${testPan}"]}`, 'extra.0'],
    [`{"method":"m","params":{"account":{"order":${testPan}}}}`, 'account.order'],
    [`{"method":"m","params":{"account":{"order":${testPan}.0}}}`, 'account.order'],
    [`{"method":"m","params":{"account":{"order":8.${testPan.slice(1)}E+15}}}`, 'account.order'],
    [`{"method":"m","params":{"account":{"order":"${grouped(testPan, ' ')}"}}}`, 'account.order'],
    [`{"method":"m","params":{"account":{"order":"${escaped(testPan)}"}}}`, 'account.order'],
    [`{"method":"m","params":{"account":{"${testPan}":1}}}`, 'account.*'],
    [`{"method":"m","params":{"account":{"n${grouped(testPan, '-')}":{"a":"b"}}}}`, 'account.*'],
    [`{"method":"m","${testPan}":1}`, '*'],
    [`{"method":"m","jsonrpc":"2.0","params":{"card":{"number":"${testPan}","expire":"${makePan('9860', 3)}"}}}`, 'card.expire'],
  ]
  for (const [text, data] of places) {
    const call = readOne(text)
    assert.deepEqual(call.paramsFault, { entry: 'panOutOfPlace', data }, text)
    assert.equal(/\d{16}|(\d{4}[ -]){3}\d{4}/.test(JSON.stringify(plain(call.params))), false, text)
  }
})

test('an id or token of this service that contains a card number by chance is accepted in its members', () => {
  const id = `a${testPan}abcdef0`
  const token = `${id}_3kTMd0bJqg7v1nUeWcY9aRzXoP5sHfL2iKxQ8tVb4Gm`
  const inPlace: Record<string, unknown>[] = [
    { token },
    { id },
    { session: token },
    { cards: [id, id] },
    ...['cardId', 'receiptId', 'userId', 'sessionId', 'endpointId', 'eventId', 'requestId', 'scriptId', 'subject', 'search'].map(
      (name) => ({ [name]: id }),
    ),
    { after: `1763700000000.${id}` },
  ]
  for (const params of inPlace) {
    const text = JSON.stringify({ method: 'm', params })
    const call = readOne(text)
    assert.deepEqual([call.paramsFault, plain(call.params)], [null, params], text)
  }
  const outOfPlace: [params: object, path: string][] = [
    [{ token: testPan }, 'token'],
    [{ token: `${testPan}_3kTMd0bJqg7v1nUeWcY9aRzXoP5sHfL2iKxQ8tVb4Gm` }, 'token'],
    [{ token: `${id}_short` }, 'token'],
    [{ id: `${id}0` }, 'id'],
    [{ id: `A${testPan}ABCDEF0` }, 'id'],
    [{ id: `${id}\n` }, 'id'],
    [{ after: `1.${testPan}` }, 'after'],
    [{ cards: [id, testPan] }, 'cards.1'],
    [{ cards: { id } }, 'cards.id'],
    [{ payer: { id } }, 'payer.id'],
    [{ account: { token } }, 'account.token'],
    [{ customer: id }, 'customer'],
  ]
  for (const [params, data] of outOfPlace) {
    const text = JSON.stringify({ method: 'm', params })
    assert.deepEqual(readOne(text).paramsFault, { entry: 'panOutOfPlace', data }, text)
  }
  assert.deepEqual(readOne(JSON.stringify({ id, method: 'm' })).paramsFault, { entry: 'panOutOfPlace', data: 'id' })
})

test('a card number in other digits, separators and networks is out of place too', () => {
  const visa = '4000000000000002'
  const amex = '340000000000009'
  const spellings = [
    visa,
    amex,
    grouped(testPan, '\u00a0'),
    grouped(testPan, '.'),
    grouped(testPan, '\\u00a0'),
    testPan.replaceAll(/[0-9]/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
  ]
  for (const spelling of spellings) {
    const call = readOne(`{"method":"m","params":{"detail":{"note":"№ ${spelling}"}}}`)
    assert.deepEqual([call.paramsFault, call.withheld], [{ entry: 'panOutOfPlace', data: 'detail.note' }, []], spelling)
  }
})

test('an account value with a short prefix of a card network is withheld until the fields of the merchant are known', () => {
  const call = readOne('{"method":"m","params":{"account":{"order":"4000000000000002","sum":5300000000000006,"pan":"x"}}}')
  assert.deepEqual(call.paramsFault, null)
  assert.deepEqual(plain(call.params), { account: { order: null, sum: null, pan: 'x' } })
  assert.deepEqual(
    call.withheld.map(({ field, bytes, isNumber }) => [field, Buffer.from(bytes).toString(), isNumber]),
    [
      ['order', '4000000000000002', false],
      ['sum', '5300000000000006', true],
    ],
  )
  for (const account of [`{"order":"${testPan}"}`, '["4000000000000002"]', '{"order":{"a":"4000000000000002"}}', '{"4000000000000002":1}'])
    assert.equal(readOne(`{"method":"m","params":{"account":${account}}}`).paramsFault?.entry, 'panOutOfPlace', account)
})

test('an empty array stands for an empty object where PHP writes one', () => {
  const call = readOne('{"method":"m","params":{"payer":[],"detail":[],"account":[ ],"other":[],"card":{"detail":[]}}}')
  assert.deepEqual(plain(call.params), { payer: {}, detail: {}, account: {}, other: [], card: { detail: [] } })
  assert.deepEqual(plain(readOne('{"method":"m","params":{"account":[1]}}').params), { account: [1] })
})

test('a version that is a card number is refused and not read', () => {
  const call = readOne(`{"method":"m","jsonrpc":"${testPan}"}`)
  assert.deepEqual([call.requestFault, call.paramsFault], [{ entry: 'invalidVersion' }, { entry: 'panOutOfPlace', data: 'jsonrpc' }])
})

test('sensitive authentication data is recognized by its name at any depth of params, and its value is not read', () => {
  const cases: [params: string, path: string][] = [
    ['{"cvv":"123"}', 'cvv'],
    ['{"card":{"number":"1","CVC2":737}}', 'card.CVC2'],
    ['{"card":{"Cvc":null}}', 'card.Cvc'],
    ['{"a":[{"b":{"Track2":"x"}}]}', 'a.0.b.Track2'],
    ['{"account":{"p\\u0069n":{"a":[1]}}}', 'account.pin'],
    ['{"cvv2":1,"track1":2}', 'cvv2'],
  ]
  for (const [params, data] of cases) {
    const call = readOne(`{"method":"m","params":${params}}`)
    assert.deepEqual(call.paramsFault, { entry: 'sensitiveAuthenticationData', data }, params)
    assert.equal(/123|737|"x"|\[1\]/.test(JSON.stringify(plain(call.params))), false, params)
  }
  for (const params of ['{"spin":1,"pins":1,"cvv3":1,"track":1,"pin_code":1}', '{"a":"cvv"}'])
    assert.equal(readOne(`{"method":"m","cvv":1,"params":${params}}`).paramsFault, null, params)
})

test('a number out of range is refused in params, and ignored elsewhere', () => {
  const call = readOne('{"method":"m","params":{"account":{"a":1e400}}}')
  assert.deepEqual([call.paramsFault, plain(call.params)], [{ entry: 'memberInvalid', data: 'account.a' }, { account: { a: null } }])
  assert.equal(readOne('{"method":"m","extra":-1e999}').paramsFault, null)
  assert.deepEqual(readParamValue('[-0, 1e-400, 1E2, 123456789012345678901234567890]').value, [-0, 0, 100, 123456789012345678901234567890])
})

test('of two faults of params the first in the table of errors is reported', () => {
  const cases: [params: string, entry: string][] = [
    [`["${testPan}",{"cvv":1}]`, 'sensitiveAuthenticationData'],
    [`["${testPan}"]`, 'panOutOfPlace'],
    [`{"card":{"number":1},"a":"${testPan}"}`, 'panOutOfPlace'],
    ['[1e400]', 'paramsNotObject'],
  ]
  for (const [params, entry] of cases) assert.equal(readOne(`{"method":"m","params":${params}}`).paramsFault?.entry, entry, params)
})

test('a path in a reply has only plain names: anything else is an asterisk', () => {
  const names = ['a b', '', 'é', 'x'.repeat(65), '1234567', '4111-1111-11', 'a.b c']
  for (const name of names) {
    const call = readOne(`{"method":"m","params":{"account":{"${name}":{"pin":1}}}}`)
    assert.deepEqual(call.paramsFault, { entry: 'sensitiveAuthenticationData', data: 'account.*.pin' }, name)
  }
})

test('of two card numbers none remains if the text is not JSON, and one if it is', () => {
  const call = readOne(`{"method":"m","params":{"card":{"number":"1111"},"card":{"number":"2222","number":"3333"}}}`)
  assert.equal(Buffer.from(call.cardNumber ?? []).toString(), '3333')
  assert.equal(call.requestFault?.entry, 'duplicateKey')
})

function escaped(text: string): string {
  return Array.from(text, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')
}
