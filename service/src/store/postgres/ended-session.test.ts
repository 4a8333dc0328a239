// time limit: 60 s
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeStatement } from '../statement.ts'
import { execute, run, type Transaction } from '../transaction.ts'
import { makePrimary } from './primary.ts'
import { makeSlot } from './slot.ts'
import { sessionLockMs } from './transaction.ts'
import { withPostgres } from './with-store.fixture.ts'

const look = makeStatement('select 1')
const insert = makeStatement('insert into stood (id) values ($1)')

for (const when of ['while it waits for a reply', 'between two statements'] as const)
  for (const count of [1, 3])
    test(
      `a process that does not run for longer than the server waits ${when} of ${count} transactions repeats them, and each is stored once`,
      withPostgres(async ({ url, raw }) => {
        await raw('create table stood (id text)')
        const primary = makePrimary({ hosts: [url], allowUnsafe: true })
        const slot = makeSlot(primary, 'chain', { key: null, commits: 0, heads: new Map(), listeners: [] })
        let begun = 0
        function* write(id: number): Transaction<string> {
          const isFirst = ++begun === 1
          // What was sent in a turn is written at its end.
          if (isFirst && when === 'while it waits for a reply') setImmediate(() => setImmediate(standStill))
          yield* run(look, [])
          if (isFirst && when === 'between two statements') standStill()
          yield* execute(insert, [String(id)])
          return 'written'
        }
        try {
          const starts = Array.from({ length: count }, (_, id) => () => write(id))
          assert.deepEqual(await slot.runTransactions(starts, { deadline: performance.now() + 60_000 }), Array(count).fill('written'))
          assert.equal(begun, 2 * count, 'they ran twice')
          assert.equal((await raw('select id from stood')).length, count)
        } finally {
          await slot.close()
          primary.close()
        }
      }),
    )

function standStill(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, sessionLockMs + 250)
}
