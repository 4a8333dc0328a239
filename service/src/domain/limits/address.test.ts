import assert from 'node:assert/strict'
import { test } from 'node:test'

import { blockOf, plainAddress } from './address.ts'

test('an IPv4 client of a dual-stack listener has the same address', () => {
  assert.equal(plainAddress('::ffff:192.0.2.1'), '192.0.2.1')
  for (const address of ['192.0.2.1', '::1', '::ffff:1', 'fe80::1%eth0', '']) assert.equal(plainAddress(address), address)
})

test('a block is a /24 or a /56, whatever the spelling', () => {
  const cases: [address: string, block: string][] = [
    ['192.0.2.1', '192.0.2.0/24'],
    ['192.0.2.255', '192.0.2.0/24'],
    ['2001:db8:1:4ff::1', '2001:db8:1:4/56'],
    ['2001:0DB8:0001:0400:0:0:0:1', '2001:db8:1:4/56'],
    ['2001:db8:1:500::1', '2001:db8:1:5/56'],
    ['2001:db8::1', '2001:db8:0:0/56'],
    ['::1', '0:0:0:0/56'],
    ['fe80::1%eth0', 'fe80:0:0:0/56'],
    ['1:2:3:4:5:6:7::', '1:2:3:0/56'],
    ['elsewhere', 'elsewhere'],
  ]
  for (const [address, block] of cases) assert.equal(blockOf(address), block, address)
})
