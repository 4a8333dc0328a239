import assert from 'node:assert/strict'
import { test } from 'node:test'

import pg from 'pg'

import { until } from '../../testing/child.fixture.ts'
import { updateCard, insertCard } from '../cards.ts'
import { makeAuditEntry, makeCard, nextVersion } from '../suite/samples.fixture.ts'
import { makeStatement } from '../statement.ts'
import type { ConnectionPool, Store } from '../store.ts'
import { withPostgres } from './with-store.fixture.ts'

test(
  'the pools count connections in use, idle and closed ones, and what waits for them',
  withPostgres(
    async ({ store, url }) => {
      const pools = (): unknown =>
        store.connectionPools().map(({ name, inUse, idle, closed, waiting }) => [name, inUse, idle, closed, waiting])
      assert.deepEqual(pools(), [
        ['writers', 0, 0, 2, 0],
        ['readers', 0, 0, 2, 0],
        ['scanners', 0, 0, 2, 0],
      ])
      const cards = [1, 2, 3, 4, 5].map((number) => makeCard(number))
      for (const card of cards) await store.write(insertCard, { card, audit: makeAuditEntry(card) })
      const operator = new pg.Client({ connectionString: url })
      await operator.connect()
      try {
        await operator.query('begin')
        await operator.query('lock table cards')
        const reads = cards.map(() => store.read({ statement: makeStatement('select count(*) from cards'), values: [], map: () => null }))
        const writes = cards.map((card) => store.write(updateCard, { card: nextVersion(card), audit: makeAuditEntry(nextVersion(card)) }))
        const late = Promise.allSettled([...reads, ...writes])
        assert.deepEqual(poolOf(store, 'readers'), { name: 'readers', inUse: 2, idle: 0, closed: 0, waiting: 3 })
        // At the end of this turn each writer takes one; it waits for the table.
        await new Promise((resolve) => setImmediate(resolve))
        assert.deepEqual(poolOf(store, 'writers'), { name: 'writers', inUse: 2, idle: 0, closed: 0, waiting: 3 })
        await operator.query('rollback')
        await late
      } finally {
        await operator.end()
      }
      await until(() => poolOf(store, 'writers').inUse === 0, 'the writers to be idle again')
      assert.equal(poolOf(store, 'writers').waiting, 0)
    },
    { writers: 2 },
  ),
)

function poolOf(store: Store, name: ConnectionPool['name']): ConnectionPool {
  return store.connectionPools().find((pool) => pool.name === name) ?? assert.fail(`there is no pool ${name}`)
}
