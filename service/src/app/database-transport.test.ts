import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readConfig } from '../ops/config/config.ts'

import { isSameDatabase } from './database-transport.ts'
import { findProductionFaults } from './production-checks.ts'

const cards = 'postgres://cards:a@db1.example:5432/cards?sslmode=verify-full'
const same = [
  ['itself', cards],
  ['another user and password', 'postgres://keys:b@db1.example:5432/cards?sslmode=verify-full'],
  ['other parameters', 'postgres://cards:a@db1.example:5432/cards?application_name=keys'],
  ['another scheme and no port', 'postgresql://cards:a@db1.example/cards'],
  ['a host in capitals', 'postgres://cards:a@DB1.example:5432/cards'],
  ['a name that is written otherwise', 'postgres://cards:a@db1.example/%63ards'],
  ['other hosts beside one that both have', 'postgres://cards:a@db2.example,db1.example:5432/cards'],
] as const
const other = [
  ['another database', 'postgres://cards:a@db1.example:5432/keys'],
  ['another host', 'postgres://cards:a@db2.example:5432/cards'],
  ['another port', 'postgres://cards:a@db1.example:5433/cards'],
] as const
const refused = /^forbidden: TESSERA_KEYS_DATABASE_URL is the database of the cards/

for (const [what, url] of same)
  test(`keys in the database of the cards, by ${what}, refuse a production start`, () => {
    assert.ok(isSameDatabase(cards, url) && isSameDatabase(url, cards))
    assert.ok(faultsOf(url).some((fault) => refused.test(fault)))
  })

for (const [what, url] of other)
  test(`control: keys in ${what} do not`, () => {
    assert.ok(!isSameDatabase(cards, url) && !isSameDatabase(url, cards))
    assert.deepEqual(
      faultsOf(url).filter((fault) => refused.test(fault)),
      [],
    )
  })

test('databases behind sockets are told apart by their folders', () => {
  const behind = (folder: string): string => `postgres:///cards?host=${encodeURIComponent(folder)}`
  assert.ok(isSameDatabase(behind('/run/a'), behind('/run/a')))
  assert.ok(!isSameDatabase(behind('/run/a'), behind('/run/b')))
})

function faultsOf(keysUrl: string): string[] {
  const environment = { TESSERA_ENV: 'production', TESSERA_DATABASE_URL: cards, TESSERA_KEYS_DATABASE_URL: keysUrl }
  return findProductionFaults(readConfig([], environment).config)
}
