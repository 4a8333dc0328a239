import assert from 'node:assert/strict'
import { test } from 'node:test'

import { RpcError } from '@tessera/contract/errors'

import { defaultConfig } from '../../testing/default-config.fixture.ts'

import { coarseLimitSettings, makeCoarseLimits, noCoarseLimits, type RateLimitedCall } from './coarse-limits.ts'

const minute = 60_000

test('an address may create 10 cards a minute and 60 an hour, and the reply says how long to wait', () => {
  const { at, take } = createLimits()
  for (let i = 0; i < 10; i++) assert.equal(take(), null)
  assert.deepEqual(take(), { entry: 'addressLimit', waitMs: 65_000 })
  at(64_999)
  assert.equal(take()?.waitMs, 1)
  at(65_000)
  assert.equal(take(), null)
  const later = createLimits()
  for (let i = 0; i < 6; i++) {
    later.at(i * 2 * minute)
    for (let k = 0; k < 10; k++) assert.equal(later.take(), null)
  }
  later.at(20 * minute)
  assert.deepEqual(later.take(), { entry: 'addressLimit', waitMs: 45 * minute })
})

test('no minute has more than ten, however they are spread', () => {
  const { at, take } = createLimits()
  const taken: number[] = []
  for (let now = 0; now < 10 * minute; now += 737) {
    at(now)
    if (take() === null) taken.push(now)
  }
  for (const start of taken) assert.ok(taken.filter((time) => time >= start && time < start + minute).length <= 10)
  assert.ok(taken.length > 45, 'the hour’s 60 are nearly reached')
})

test('waiting as long as the reply says is enough', () => {
  const { at, take } = createLimits()
  let now = 0
  for (let i = 0; i < 100; i++) {
    at(now)
    const refused = take()
    if (refused === null) {
      now += 1013
      continue
    }
    at((now += refused.waitMs))
    assert.equal(take(), null)
  }
})

test('addresses of one block share a wider limit', () => {
  const { take } = createLimits()
  for (let host = 1; host <= 100; host++) assert.equal(take({ address: `198.51.100.${host}` }), null)
  assert.equal(take({ address: '198.51.100.200' })?.entry, 'blockLimit')
  assert.equal(take({ address: '198.51.101.1' }), null)
  for (let host = 1; host <= 100; host++) assert.equal(take({ address: `2001:db8:1:${(host % 16).toString(16)}::${host}` }), null)
  assert.equal(take({ address: '2001:db8:1:99::1' })?.entry, 'blockLimit')
  assert.equal(take({ address: '2001:db8:1:100::1' }), null)
})

test('an IPv6 client is its /64, however many addresses it uses', () => {
  const { take } = createLimits()
  for (let host = 1; host <= 10; host++) assert.equal(take({ address: `2001:db8:1:4::${host}` }), null)
  assert.equal(take({ address: '2001:db8:1:4:ffff::1' })?.entry, 'addressLimit')
  assert.equal(take({ address: '2001:db8:1:5::1' }), null)
})

test('an agreed limit applies to its merchant only', () => {
  const { at, take } = createLimits()
  const limits = { createMinuteMax: 2, serverAddressMinuteMax: 500 }
  for (let i = 0; i < 2; i++) assert.equal(take({ limits }), null)
  assert.deepEqual(take({ limits })?.entry, 'merchantLimit')
  assert.equal(take({ merchantId: 'other' }), null)
  at(2 * minute)
  const server = { callerKind: 'server', limits: { serverAddressMinuteMax: 500 }, address: '203.0.113.5' } as const
  for (let i = 0; i < 500; i++) assert.equal(take(server), null)
  assert.equal(take(server)?.entry, 'addressLimit')
  assert.equal(take({ ...server, callerKind: 'browser' }), null, 'who showed no password has no part in it')
  assert.equal(take({ ...server, limits: null }), null, 'without an agreement a server is an address like any')
})

test('a merchant has its own limit, and one merchant’s does not touch another’s', () => {
  const { take } = createLimits({ address: [], block: [], merchant: [{ count: 3, ms: minute }] })
  for (let i = 0; i < 3; i++) assert.equal(take({ merchantId: 'a' }), null)
  assert.equal(take({ merchantId: 'a' })?.entry, 'merchantLimit')
  assert.equal(take({ merchantId: 'b' }), null)
  assert.equal(take({ merchantId: null }), null)
})

test('requests with only the public id do not use up the server’s limits of reads and writes', () => {
  const { take } = createLimits()
  for (const [limitClass, most] of [
    ['write', 12_000],
    ['read', 60_000],
  ] as const) {
    const stranger = { class: limitClass, callerKind: 'browser' } as const
    for (let i = 0; i < most; i++) assert.equal(take(stranger), null)
    assert.equal(take(stranger)?.entry, 'merchantLimit')
    assert.equal(take({ ...stranger, callerKind: 'server' }), null)
    assert.equal(take({ ...stranger, callerKind: 'dashboard' }), null)
  }
})

test('a request that one limit refuses counts in none', () => {
  const windows = { address: [{ count: 1, ms: minute }], block: [], merchant: [{ count: 2, ms: minute }] }
  const { take } = createLimits(windows)
  assert.equal(take({ address: '192.0.2.1', merchantId: 'a' }), null)
  for (let i = 0; i < 9; i++) assert.equal(take({ address: '192.0.2.1', merchantId: 'a' })?.entry, 'addressLimit')
  assert.equal(take({ address: '192.0.2.2', merchantId: 'a' }), null)
})

test('methods without limits are not counted, and the test environment counts none', () => {
  const { take } = createLimits()
  for (let i = 0; i < 1000; i++) assert.equal(take({ class: 'none' }), null)
  for (let i = 0; i < 1000; i++) assert.doesNotThrow(() => noCoarseLimits.check(call({})))
})

test('classes are counted separately', () => {
  const { take } = createLimits()
  for (let i = 0; i < 10; i++) take()
  assert.equal(take()?.entry, 'addressLimit')
  assert.equal(take({ class: 'verify' }), null)
})

test('memory is bounded: beyond the maximum the subject seen first is dropped', () => {
  const limits = makeCoarseLimits({ now: () => 0, settings: coarseLimitSettings(defaultConfig), maxSubjects: 3 })
  const take = (address: string): unknown => outcome(() => limits.check(call({ address, merchantId: null })))
  for (let i = 0; i < 10; i++) assert.equal(take('192.0.2.1'), null)
  assert.notEqual(take('192.0.2.1'), null)
  for (const address of ['198.51.100.1', '203.0.113.1']) assert.equal(take(address), null)
  assert.equal(take('192.0.2.1'), null)
})

function createLimits(create?: object) {
  let now = 0
  const settings = create === undefined ? coarseLimitSettings(defaultConfig) : ({ create } as never)
  const limits = makeCoarseLimits({ now: () => now, settings })
  return {
    at: (ms: number) => void (now = ms),
    take: (parts: Partial<RateLimitedCall> = {}) => outcome(() => limits.check(call(parts))),
  }
}

function call(parts: Partial<RateLimitedCall>): RateLimitedCall {
  return { class: 'create', address: '192.0.2.7', merchantId: 'm', callerKind: 'browser', limits: null, ...parts }
}

function outcome(take: () => void): { entry: string; waitMs: number } | null {
  try {
    take()
    return null
  } catch (err) {
    assert.ok(err instanceof RpcError)
    return { entry: err.entry, waitMs: err.retryAfterMs ?? 0 }
  }
}
