import assert from 'node:assert/strict'
import { test } from 'node:test'

import { AdapterConfigError } from '../adapter.ts'

import { parseRoutes, requireSeparateRoutes } from './routes.ts'

test('prefixes and ranges become routes with the card network and type of the contract', () => {
  assert.deepEqual(parseRoutes('8600, 2200-2202'), [
    { prefix: '8600', network: 'uzcard', type: '22618' },
    { prefix: '2200', network: 'mir', type: '22620' },
    { prefix: '2201', network: 'mir', type: '22620' },
    { prefix: '2202', network: 'mir', type: '22620' },
  ])
  assert.equal(parseRoutes('544081')[0]?.type, '22622')
})

for (const text of ['', '8600;5614', '86001234', '0860', '2204-2200', '22-2204', '860x', '100000-999999', '9999']) {
  test(`"${text}" is refused as a list of prefixes`, () => assert.throws(() => parseRoutes(text), AdapterConfigError))
}

test('two networks that take the same numbers are refused, also when one takes only a part of what the other takes', () => {
  const networks = (first: string, second: string) => [
    { name: 'uzcard', port: { routes: parseRoutes(first) } },
    { name: 'iso8583', port: { routes: parseRoutes(second) } },
  ]
  assert.doesNotThrow(() => requireSeparateRoutes(networks('8600,5614', '9860,2200')))
  for (const [first, second] of [
    ['8600', '8600'],
    ['8600', '860012'],
    ['860012', '8600'],
  ] as const) {
    assert.throws(
      () => requireSeparateRoutes(networks(first, second)),
      (err) => err instanceof AdapterConfigError && /uzcard/.test(err.message) && /iso8583/.test(err.message) && /8600/.test(err.message),
    )
  }
})
