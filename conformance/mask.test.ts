import assert from 'node:assert/strict'
import { it } from 'node:test'

import { maskOutput } from './mask.ts'

it('a card number is never printed whole, written together or in groups', () => {
  assert.equal(maskOutput('got "8600069195406311"'), 'got "8600***6311"')
  assert.equal(maskOutput('got 8600 0691 9540 6311.'), 'got 8600***6311.')
  assert.equal(maskOutput('got 8600-0691-9540-6311'), 'got 8600***6311')
})

it('digits that are no card number stay', () => {
  assert.equal(maskOutput('8600069195406312, 1795219200000'), '8600069195406312, 1795219200000')
})

it('of a token only the card id is printed', () => {
  assert.equal(maskOutput(`"${'a1'.repeat(12)}_${'Zz9'.repeat(14)}x"`), `"${'a1'.repeat(12)}_…"`)
})
