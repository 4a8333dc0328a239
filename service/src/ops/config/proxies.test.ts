import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeAddressList, readAddresses } from './proxies.ts'

test('addresses and blocks are read from text and from JSON, and what is neither refuses them all', () => {
  assert.deepEqual(readAddresses('10.0.0.0/8, ::1'), ['10.0.0.0/8', '::1'])
  assert.deepEqual(readAddresses(['192.0.2.7']), ['192.0.2.7'])
  for (const given of [
    '',
    '10.0.0.0/33',
    '10.0.0/8',
    '0.0.0.0/0',
    '::/0',
    'proxy.example',
    '10.0.0.1,',
    'fe80::1%eth0',
    [],
    [7],
    7,
    null,
  ]) {
    assert.equal(readAddresses(given), null, JSON.stringify(given))
  }
})

test('an address is in a block or not, of its own family', () => {
  const has = makeAddressList(['10.0.0.0/8', '192.0.2.7', 'fd00::/8'])
  for (const address of ['10.255.255.255', '192.0.2.7', 'fd12::1']) assert.equal(has(address), true, address)
  for (const address of ['11.0.0.0', '192.0.2.8', 'fe80::1', '', 'unknown']) assert.equal(has(address), false, address)
})

test('an empty list has no address in it', () => {
  const has = makeAddressList([])
  for (const address of ['127.0.0.1', '::1', '10.0.0.1', '']) assert.equal(has(address), false, address)
})
