import assert from 'node:assert/strict'
import { test } from 'node:test'

import { SettingProblem } from '@tessera/contract/setting-problems'

import { makeAddressList } from '../../ops/config/proxies.ts'

import { isPublic, makeAddressGuard, type ResolvedAddress, resolveBySystem } from './address-guard.ts'

const production = makeAddressGuard({ resolve: resolveBySystem, allowLoopback: false })
const inTest = makeAddressGuard({ resolve: resolveBySystem, allowLoopback: true })

/** The loopback address in thirty notations. */
const spellings = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '017700000001',
  '0x7f000001',
  '0x7f.1',
  '0177.1',
  '0x7f.0.0.1',
  '0177.0.0.01',
  '127.0.0.1.',
  '0',
  '0.0.0.0',
  '0x0',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[::ffff:0:127.0.0.1]',
  '１２７.0.0.1',
  '①27.0.0.1',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '[fe80::1]',
]

test('no notation of a loopback address is accepted as an endpoint or connected to', async () => {
  assert.equal(new Set(spellings).size, 30)
  for (const host of spellings) {
    assert.equal(production.readUrl(`https://${host}/`) instanceof SettingProblem, true, host)
    const url = URL.parse(`https://${host}/`)
    if (url !== null) assert.equal(await production.choose(url), null, host)
  }
})

test('names of this machine are refused when they are resolved at delivery', async () => {
  for (const host of ['localhost', 'LOCALHOST']) assert.equal(await production.choose(new URL(`https://${host}/`)), null, host)
})

test('private, reserved and cloud metadata addresses are not public', () => {
  const v4 = [
    '10.0.0.1',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '0.1.2.3',
    '168.63.129.16',
    '192.88.99.1',
  ]
  const v6 = [
    '::',
    '::1',
    '::ffff:8.8.8.8',
    '::8.8.8.8',
    '64:ff9b::808:808',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:808:808::1',
    '3fff::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '5f00::1',
    '4000::1',
  ]
  for (const address of v4) assert.equal(isPublic({ address, family: 4 }), false, address)
  for (const address of v6) assert.equal(isPublic({ address, family: 6 }), false, address)
  for (const address of ['8.8.8.8', '1.1.1.1', '100.128.0.1', '172.32.0.1', '198.20.0.1'])
    assert.equal(isPublic({ address, family: 4 }), true, address)
  for (const address of ['2606:4700:4700::1111', '2a00:1450::1']) assert.equal(isPublic({ address, family: 6 }), true, address)
  assert.equal(isPublic({ address: 'not an address', family: 4 }), false)
})

test('a name with at least one non-public address is not connected to, in any order of its addresses', async () => {
  const good: ResolvedAddress = { address: '8.8.8.8', family: 4 }
  const bad: ResolvedAddress = { address: '10.0.0.1', family: 4 }
  for (const addresses of [[good, bad], [bad, good], [bad], []]) {
    const guard = makeAddressGuard({ resolve: () => Promise.resolve(addresses), allowLoopback: false })
    assert.equal(await guard.choose(new URL('https://shop.example/')), null)
  }
  const guard = makeAddressGuard({ resolve: () => Promise.resolve([good]), allowLoopback: false })
  assert.deepEqual(await guard.choose(new URL('https://shop.example/')), good)
  assert.equal(await guard.choose(new URL('http://shop.example/')), null)
})

test('the URL of an endpoint is https, without credentials or fragment, and of limited length', () => {
  assert.ok(production.readUrl('https://shop.example:8443/events?shop=1') instanceof URL)
  const bad = ['http://shop.example/', 'ftp://shop.example/', 'https://a:b@shop.example/', 'https://shop.example/#x', 'shop.example', '']
  for (const text of [...bad, `https://shop.example/${'x'.repeat(2048)}`])
    assert.equal(production.readUrl(text) instanceof SettingProblem, true, text)
})

test('in the test environment plain http is allowed to this machine and to no other', async () => {
  assert.ok(inTest.readUrl('http://127.0.0.1:3000/') instanceof URL)
  assert.ok(inTest.readUrl('http://localhost:3000/') instanceof URL)
  for (const text of ['http://shop.example/', 'http://10.0.0.1/', 'https://10.0.0.1/', 'https://169.254.169.254/']) {
    assert.equal(inTest.readUrl(text) instanceof SettingProblem, true, text)
  }
  const rebound = makeAddressGuard({ resolve: () => Promise.resolve([{ address: '10.0.0.1', family: 4 }]), allowLoopback: true })
  assert.equal(await rebound.choose(new URL('http://localhost/')), null)
  assert.deepEqual(await inTest.choose(new URL('http://127.0.0.1/')), { address: '127.0.0.1', family: 4 })
})

/** A guard with these outbound networks, and a resolver that returns these addresses. */
function guardWith(networks: readonly string[], addresses: readonly ResolvedAddress[]) {
  const isInOutboundNetwork = makeAddressList(networks)
  return makeAddressGuard({ resolve: () => Promise.resolve(addresses), allowLoopback: false, isInOutboundNetwork })
}

const v4 = (address: string): ResolvedAddress => ({ address, family: 4 })
const v6 = (address: string): ResolvedAddress => ({ address, family: 6 })

test('an address of an outbound network is allowed by https, and its neighbour is not', async () => {
  const networks = ['10.20.0.0/16', '127.0.0.1', 'fd12:3456::/32']
  const shop = new URL('https://shop.internal/')
  for (const address of [v4('10.20.0.1'), v4('10.20.255.254'), v4('127.0.0.1'), v6('fd12:3456::7')])
    assert.deepEqual(await guardWith(networks, [address]).choose(shop), address, address.address)
  for (const address of [v4('10.21.0.1'), v4('127.0.0.2'), v4('192.168.1.1'), v6('fd12:3457::7'), v6('::1')])
    assert.equal(await guardWith(networks, [address]).choose(shop), null, address.address)
  assert.equal(await guardWith(networks, [v4('10.20.0.1')]).choose(new URL('http://shop.internal/')), null, 'plain http')
  assert.equal(await guardWith(networks, [v4('10.20.0.1'), v4('10.21.0.1')]).choose(shop), null, 'one address outside of it')
  assert.deepEqual(await guardWith(networks, [v4('10.20.0.1'), v4('8.8.8.8')]).choose(shop), v4('10.20.0.1'))
  assert.equal(await guardWith([], [v4('10.20.0.1')]).choose(shop), null, 'no networks by default')
})

test('an outbound network allows the URL of an endpoint by its address, in the ordinary notation only', async () => {
  const guard = guardWith(['10.20.0.0/16'], [])
  assert.ok(guard.readUrl('https://10.20.0.1/hook') instanceof URL)
  for (const text of [
    'https://10.21.0.1/',
    'http://10.20.0.1/',
    'https://[::ffff:10.20.0.1]/',
    'https://[64:ff9b::10.20.0.1]/',
    'https://[2002:a14:1::]/',
  ])
    assert.equal(guard.readUrl(text) instanceof SettingProblem, true, text)
  const all = guardWith(['0.0.0.0/1', '128.0.0.0/1', '::/1', '8000::/1'], [])
  for (const host of ['[::ffff:10.20.0.1]', '[64:ff9b::10.20.0.1]', '[2002:a14:1::]'])
    assert.equal(all.readUrl(`https://${host}/`) instanceof SettingProblem, true, host)
})

test('no setting allows the metadata service of a cloud', async () => {
  const networks = ['0.0.0.0/1', '128.0.0.0/1', '::/1', '8000::/1']
  for (const address of ['169.254.169.254', '169.254.170.2', '100.100.100.200', '192.0.0.192', '168.63.129.16', '0.0.0.0'])
    assert.equal(await guardWith(networks, [v4(address)]).choose(new URL('https://shop.example/')), null, address)
  for (const address of ['fd00:ec2::254', 'fe80::a9fe:a9fe', '::ffff:169.254.169.254', '::'])
    assert.equal(await guardWith(networks, [v6(address)]).choose(new URL('https://shop.example/')), null, address)
})
