import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHosts } from './primary.ts'

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
