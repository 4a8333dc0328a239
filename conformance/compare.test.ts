import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { compareReply } from './compare.ts'
import type { VectorResponse } from './exchange.ts'
import { readVectorFile } from './vector.ts'

const vector = {
  title: 'ten seconds',
  spec: 'docs/reference/wire.md#test-environment',
  request: { line: 'POST /api' },
  reply: { status: 400, headers: { vary: 'Origin', 'set-cookie': null }, contains: ['"a"', '"b"'], closes: true },
  limits: { msMin: 9900, msMax: 11_900 },
}
const right: VectorResponse = { status: 400, headers: { vary: 'Origin' }, body: Buffer.from('{"a":1,"b":2}'), isClosed: true, ms: 10_010 }

function compare(change: Partial<VectorResponse>, says: object = vector, slowness = 1): string[] {
  const [read] = readVectorFile('x', JSON.stringify({ about: 'x', cases: [says] })).cases
  assert.ok(read !== undefined)
  return compareReply(read, { ...right, ...change }, { given: {}, tokens: new Map() }, slowness)
}

describe('each difference is described in a sentence', () => {
  it('and equal replies give no message', () => assert.deepEqual(compare({}), []))

  const wrongs: [string, Partial<VectorResponse>, RegExp][] = [
    ['an answer too soon', { ms: 12 }, /at least 9900 ms, took 12/],
    ['an answer too late', { ms: 12_001 }, /at most 11900 ms, took 12001/],
    ['another status', { status: 200 }, /status: wanted 400, got 200/],
    ['a header that is missing', { headers: {} }, /header vary: wanted "Origin", got none/],
    ['a header of another value', { headers: { vary: 'Accept' } }, /header vary: wanted "Origin", got "Accept"/],
    ['a header too many', { headers: { vary: 'Origin', 'set-cookie': 'a=b' } }, /header set-cookie: wanted none, got "a=b"/],
    ['a connection left open', { isClosed: false }, /wanted closed/],
    ['a part that is missing', { body: Buffer.from('{"a":1}') }, /wanted "b" in it/],
  ]
  for (const [title, change, message] of wrongs) {
    it(title, () => {
      const messages = compare(change)
      assert.equal(messages.length, 1, messages.join('\n'))
      assert.match(messages[0] ?? '', message)
    })
  }

  it('nothing of an answer that is late by less than the machine is slow, and what it took otherwise', () => {
    assert.deepEqual(compare({ ms: 23_000 }, vector, 2), [])
    assert.match(compare({ ms: 24_000 }, vector, 2)[0] ?? '', /at most 23800 ms, took 24000/)
    assert.match(compare({ ms: 12 }, vector, 2)[0] ?? '', /at least 9900 ms/)
  })

  it('a body, with both texts and the first letter that is another', () => {
    const [message = ''] = compare({}, { title: 't', spec: 's', request: { line: 'POST /api' }, reply: { status: 400, body: '{"a":2}' } })
    assert.match(message, /from character 6: wanted 2}\n +got 1,"b":2}\n {2}wanted {2}{"a":2}\n {2}got {5}{"a":1,"b":2}$/)
  })
})
