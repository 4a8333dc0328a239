import assert from 'node:assert/strict'
import { test } from 'node:test'

import { parseRoute } from './page-route.ts'

test('an address is a page, the rest of its path, and its query', () => {
  const { page, rest, query } = parseRoute({ pathname: '/dashboard/webhooks/65f0/65f1', search: '?state=dead' })
  assert.deepEqual([page, rest, query.get('state')], ['webhooks', ['65f0', '65f1'], 'dead'])
})

test('/dashboard with and without a slash at the end is no page and has no rest', () => {
  for (const pathname of ['/dashboard', '/dashboard/']) assert.deepEqual(parseRoute({ pathname, search: '' }).page, '')
  assert.deepEqual(parseRoute({ pathname: '/dashboard/cards/', search: '' }).rest, [])
})

test('a segment is percent-decoded, or left unchanged when its encoding is invalid', () => {
  assert.deepEqual(parseRoute({ pathname: '/dashboard/cards/a%2Fb/%zz', search: '' }).rest, ['a/b', '%zz'])
})

test('the state of a history entry is its name and what may not stand in an address; anything else in it is nothing', () => {
  const at = { pathname: '/dashboard/receipts', search: '' }
  const { hidden, entry } = parseRoute(at, { order: 'O-1', '#entry': '7.9', other: 5 })
  assert.deepEqual([hidden, entry], [{ order: 'O-1' }, '7.9'])
  for (const state of [null, 'text', undefined]) assert.deepEqual([parseRoute(at, state).hidden, parseRoute(at, state).entry], [{}, ''])
})
