import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPan } from '@tessera/contract/card'
import { makeRandom } from '../fault/random.ts'
import { makeCostlyRequests } from './bad-requests.ts'
import { drawPans } from '../fault/seeded-pans.ts'

test('drawn card numbers are valid, and none is drawn twice', () => {
  const pans = drawPans(makeRandom(7), 500)
  assert.equal(new Set(pans).size, 500)
  for (const pan of pans) assert.equal(typeof readPan(Buffer.from(pan)), 'object', 'a drawn number was refused')
})

test('bad requests are complete HTTP requests of at most the allowed body size, and the same for one seed', () => {
  const [one, again] = [makeCostlyRequests(makeRandom(9), 'h', 'x'), makeCostlyRequests(makeRandom(9), 'h', 'x')]
  for (let at = 0; at < 300; at++) {
    const request = one()
    assert.ok(request.equals(again()))
    const [head = '', length = ''] = /^POST [^]*?content-length: (\d+)\r\n\r\n/.exec(request.toString('latin1')) ?? []
    assert.equal(request.length - head.length, Number(length))
    assert.ok(Number(length) <= 65_536, `a body of ${length} bytes`)
  }
})
