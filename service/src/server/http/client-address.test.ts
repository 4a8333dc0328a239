import assert from 'node:assert/strict'
import { test } from 'node:test'

import { clientAddress, noProxies, type TrustedProxies } from './client-address.ts'

const ours = new Set(['10.0.0.1', '10.0.0.2', 'fd00::1'])
const proxies: TrustedProxies = { header: 'x-forwarded-for', has: (address) => ours.has(address) }
const standard: TrustedProxies = { ...proxies, header: 'forwarded' }

test('a header from an untrusted peer is ignored, and by default every peer is', () => {
  const spoofed = ['X-Forwarded-For', '198.51.100.1', 'Forwarded', 'for=198.51.100.1']
  assert.equal(clientAddress('203.0.113.9', spoofed, proxies), '203.0.113.9')
  assert.equal(clientAddress('203.0.113.9', spoofed, standard), '203.0.113.9')
  assert.equal(clientAddress('10.0.0.1', spoofed, noProxies), '10.0.0.1')
})

test('the client is the rightmost address that is not a trusted proxy, whatever stands left of it', () => {
  const cases: [peer: string, headers: string[], client: string][] = [
    ['10.0.0.1', ['X-Forwarded-For', '198.51.100.1'], '198.51.100.1'],
    ['::ffff:10.0.0.1', ['x-forwarded-for', '198.51.100.1'], '198.51.100.1'],
    ['10.0.0.1', ['x-forwarded-for', '192.0.2.66, 198.51.100.1'], '198.51.100.1'],
    ['10.0.0.1', ['x-forwarded-for', '192.0.2.66, 198.51.100.1, 10.0.0.2'], '198.51.100.1'],
    ['10.0.0.1', ['x-forwarded-for', '10.0.0.2', 'X-Forwarded-For', '198.51.100.1,fd00::1'], '198.51.100.1'],
    ['10.0.0.1', ['x-forwarded-for', '198.51.100.1:4711'], '198.51.100.1'],
    ['10.0.0.1', ['x-forwarded-for', '[2001:DB8::1]:4711'], '2001:db8::1'],
    ['10.0.0.1', ['x-forwarded-for', '::ffff:198.51.100.1'], '198.51.100.1'],
    ['10.0.0.1', ['x-forwarded-for', '10.0.0.2'], '10.0.0.2'],
    ['10.0.0.1', [], '10.0.0.1'],
  ]
  for (const [peer, headers, client] of cases) assert.equal(clientAddress(peer, headers, proxies), client, headers.join(' '))
})

test('an entry that is not an address is ignored, and so is everything left of it', () => {
  for (const written of ['unknown', '_hidden', '', '198.51.100.1 x', '999.1.1.1', 'fe80::1%eth0', '198.51.100.1:99999999']) {
    assert.equal(clientAddress('10.0.0.1', ['x-forwarded-for', `198.51.100.1, ${written}`], proxies), '10.0.0.1', written)
    assert.equal(clientAddress('10.0.0.1', ['x-forwarded-for', `198.51.100.1, ${written}, 10.0.0.2`], proxies), '10.0.0.2', written)
  }
})

test('Forwarded is read as in RFC 7239, and then X-Forwarded-For is not', () => {
  const cases: [written: string, client: string][] = [
    ['for=198.51.100.1', '198.51.100.1'],
    ['For="[2001:db8::1]:4711";proto=https;by=10.0.0.1', '2001:db8::1'],
    ['for=192.0.2.66, for=198.51.100.1;proto=http', '198.51.100.1'],
    ['for=198.51.100.1, for=10.0.0.2', '198.51.100.1'],
    ['for=unknown', '10.0.0.1'],
    ['proto=https', '10.0.0.1'],
    ['for=198.51.100.1;for=192.0.2.66', '10.0.0.1'],
    ['for="198.51.100.1', '10.0.0.1'],
  ]
  for (const [written, client] of cases) assert.equal(clientAddress('10.0.0.1', ['Forwarded', written], standard), client, written)
  assert.equal(clientAddress('10.0.0.1', ['x-forwarded-for', '198.51.100.1'], standard), '10.0.0.1')
})

test('an endless list is read only up to its bound', () => {
  const long = `198.51.100.1, ${Array.from({ length: 2000 }, () => '10.0.0.2').join(', ')}`
  assert.equal(clientAddress('10.0.0.1', ['x-forwarded-for', long], proxies), '10.0.0.2')
})
