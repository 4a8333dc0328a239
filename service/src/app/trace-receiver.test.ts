import assert from 'node:assert/strict'
import { test } from 'node:test'

import { decodeTraces } from './trace-receiver.fixture.ts'

const attribute = { key: 'tessera.request_id', value: { stringValue: 'a' } }
const span = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  name: 'cards.check',
  kind: 2,
  startTimeUnixNano: '1',
  endTimeUnixNano: '2',
  attributes: [attribute],
}

test('the double of a receiver takes a span by the schema of OTLP', () => {
  assert.equal(decodeTraces(messageOf(span))[0]?.attributes['tessera.request_id'], 'a')
})

const faults: Readonly<Record<string, object>> = {
  'a member that is not in the schema': { traceFlags: 1 },
  'an id in Base64': { traceId: 'S/kvNXezTaajzpKdDg5HNg==' },
  'an id of zeros': { spanId: '0'.repeat(16) },
  'an empty id of the parent': { parentSpanId: '' },
  'no name': { name: '' },
  'a kind by its name': { kind: 'SPAN_KIND_SERVER' },
  'a time as a number': { startTimeUnixNano: 1 },
  'a time beyond 64 bits': { endTimeUnixNano: '18446744073709551616' },
  'an end before the start': { startTimeUnixNano: '3' },
  'a status that does not exist': { status: { code: 3 } },
  'flags beyond 32 bits': { flags: 2 ** 32 },
  'attributes as an object': { attributes: { a: 'b' } },
  'an attribute twice': { attributes: [attribute, attribute] },
  'a number as text of a fraction': { attributes: [{ key: 'a', value: { intValue: '1.5' } }] },
  'two values of one attribute': { attributes: [{ key: 'a', value: { stringValue: 'a', boolValue: true } }] },
}

for (const [what, change] of Object.entries(faults))
  test(`it refuses ${what}`, () => {
    assert.throws(() => decodeTraces(messageOf({ ...span, ...change })), assert.AssertionError)
  })

test('it refuses a span without its times', () => {
  const { endTimeUnixNano: _, ...rest } = span
  assert.throws(() => decodeTraces(messageOf(rest)), assert.AssertionError)
})

function messageOf(one: object): Buffer {
  const message = { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: 'tessera' }, spans: [one] }] }] }
  return Buffer.from(JSON.stringify(message))
}
