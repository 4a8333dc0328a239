import assert from 'node:assert/strict'
import { test } from 'node:test'

import { AddressTable } from './address-table.ts'

test('counts the requests of an address and of its IPv6 /64, and forgets addresses that have none only when there are many', () => {
  const table = new AddressTable(() => ({ open: 0 }))
  const one = table.enter('2001:db8::1')
  assert.equal(table.enter('2001:db8::2'), one, 'of the same /64')
  assert.equal(one.open, 2)
  table.leave(one)
  table.leave(one)
  assert.equal(table.find('2001:db8::3'), one, 'it stays')
  assert.equal(one.open, 0)

  const busy = table.enter('192.0.2.1')
  for (let n = 0; n < 5000; n++) table.leave(table.enter(`198.51.${String(n >> 8)}.${String(n & 255)}`))
  assert.ok(table.size <= 1002, String(table.size))
  assert.equal(table.find('192.0.2.1'), busy, 'one with a request is never forgotten')
  table.leave(busy)
})

test('an address that comes back is not counted as idle a second time', () => {
  const table = new AddressTable(() => ({ open: 0 }))
  for (let n = 0; n < 5000; n++) table.leave(table.enter('192.0.2.1'))
  const known = table.find('192.0.2.1')
  assert.ok(known !== undefined, 'one address is not many')
})
