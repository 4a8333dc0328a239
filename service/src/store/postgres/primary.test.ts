import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'

import { StoreRefused } from '../store.ts'

import { connectError, readHosts } from './primary.ts'

test('a URL with several hosts becomes one URL per host, each with everything else', () => {
  assert.deepEqual(readHosts('postgres://u:p%40@a:5432,b:5433,c/tessera?sslmode=verify-full'), [
    'postgres://u:p%40@a:5432/tessera?sslmode=verify-full',
    'postgres://u:p%40@b:5433/tessera?sslmode=verify-full',
    'postgres://u:p%40@c/tessera?sslmode=verify-full',
  ])
  assert.deepEqual(readHosts('postgresql://one/db'), ['postgresql://one/db'])
  assert.deepEqual(readHosts('postgres://[::1]:5432,[::2]/db'), ['postgres://[::1]:5432/db', 'postgres://[::2]/db'])
  assert.deepEqual(readHosts('postgres:///db?host=/run/postgresql'), ['postgres:///db?host=/run/postgresql'])
})

test('another URL is refused without repeating it in the message', () => {
  const password = 'geheim'
  for (const url of [`mysql://u:${password}@a/db`, `postgres://u:${password}@a,,b/db`, `postgres://u:${password}@${'a,'.repeat(9)}a/db`]) {
    assert.throws(
      () => readHosts(url),
      (err: Error) => !err.message.includes(password),
    )
  }
})

test('a login is refused when every host refuses it, and one host that is down may be the primary that accepts it', () => {
  const refused = (): Error => Object.assign(new pg.DatabaseError('password authentication failed', 1, 'error'), { code: '28P01' })
  const down = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })
  const isRefused = (...errors: Error[]): boolean => connectError(errors.length, new AggregateError(errors)) instanceof StoreRefused
  assert.ok(isRefused(refused()))
  assert.ok(isRefused(refused(), refused()))
  assert.ok(!isRefused(refused(), down))
  assert.ok(!isRefused(down, refused()))
  assert.match(
    connectError(2, new AggregateError([refused(), down])).message,
    /no primary among 2 .*authentication failed · connect ECONNREFUSED/,
  )
})
