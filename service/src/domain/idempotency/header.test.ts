import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createTestApp } from '../../testing/test-app.fixture.ts'
import { RequestHeaders } from '../../server/http/request-headers.ts'

import { canonicalJson } from './keyed-request.ts'
import { openIdempotencyClient, requestOf } from './idempotency-client.fixture.ts'

const app = await createTestApp({ after })
const { answer } = await openIdempotencyClient(app)

test('an Idempotency-Key is one header of 1 to 255 visible characters', () => {
  const read = (...values: string[]) => new RequestHeaders(values.flatMap((value) => ['Idempotency-Key', value])).idempotencyKey
  assert.equal(read(), null)
  for (const key of ['a', '"7b1c"', '!~', 'x'.repeat(255)]) assert.deepEqual(read(key), { key })
  for (const key of ['', 'a b', 'é', '\u007f', 'x'.repeat(256)]) assert.equal(read(key), 'invalid', key)
  assert.equal(read('a', 'a'), 'invalid')
})

test('an invalid key is refused on operations that change something, before authentication, and ignored on others', async () => {
  const cases: [method: string, params: object, reason: string | null][] = [
    ['cards.create', { card: { number: '8600069195406311', expire: '0399' } }, 'idempotency_key_invalid'],
    ['receipts.pay', {}, 'idempotency_key_invalid'],
    ['receipts.check', {}, 'access_denied'],
    ['rpc.discover', {}, null],
    ['no.such', {}, 'method_not_found'],
  ]
  for (const [method, params, reason] of cases) {
    const { text } = await answer({ ...requestOf(method, params), xAuth: null, idempotencyKey: 'invalid' })
    const { error } = JSON.parse(text) as { error?: { reason: string } }
    assert.equal(error?.reason ?? null, reason, method)
  }
})

test('a batch with an Idempotency-Key is refused as a whole, valid or not', async () => {
  for (const idempotencyKey of ['invalid', { key: 'k1' }] as const) {
    const body = Buffer.from(JSON.stringify([{ id: 1, method: 'rpc.discover' }]))
    const { text } = await answer({ ...requestOf('rpc.discover', {}, { segment: null }), body, idempotencyKey })
    const reply = JSON.parse(text) as { id: unknown; error: { code: number; reason: string } }
    assert.deepEqual([reply.id, reply.error.code, reply.error.reason], [null, -32600, 'idempotency_in_batch'])
  }
})

test('equal values have the same canonical text, and different ones do not', () => {
  const same = [{ b: [1, { y: null, x: 'ʻ' }], a: 100_000 }, JSON.parse('{ "a": 100000.0, "b": [1.0, { "x": "\\u02bb", "y": null }] }')]
  assert.equal(new Set(same.map(canonicalJson)).size, 1)
  assert.equal(canonicalJson(same[0]), '{"a":100000,"b":[1,{"x":"ʻ","y":null}]}')
  const others = [{ a: 1 }, { a: '1' }, { a: [1] }, { a: null }, {}, { b: 1 }, [{ a: 1 }], { a: 1, b: null }]
  assert.equal(new Set(others.map(canonicalJson)).size, others.length)
})
