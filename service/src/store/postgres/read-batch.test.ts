import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'
import { sql } from '../statement.ts'
import type { Step } from './pipelined-query.ts'
import { makeReadBatch } from './read-batch.ts'
import { openPostgresSession, type Session } from './session.ts'

const selectNumber = sql`select cast($1 as integer) as number`
const divide = sql`select 1 / cast($1 as integer) as number`

async function openSession(): Promise<{ session: Session; sent: number[] }> {
  const session = await openPostgresSession(process.env['TESSERA_TEST_POSTGRES_URL'] ?? '', () => undefined)
  const sent: number[] = []
  const sendAtOnce = (steps: readonly Step[], ms?: number) => {
    sent.push(steps.length)
    return session.sendAtOnce(steps, ms)
  }
  return { session: { ...session, usable: true, sendAtOnce }, sent }
}

test('the reads of one turn of the event loop are sent together, at most 32 at once, and each gets its own rows', async () => {
  const { session, sent } = await openSession()
  const reads = makeReadBatch(session)
  assert.equal(reads.isFilling, false)
  const rows = Array.from({ length: 40 }, (_, number) => reads.read(selectNumber, [number], 1000))
  assert.equal(reads.isFilling, false, 'full')
  assert.deepEqual(
    (await Promise.all(rows)).map(([row]) => row?.['number']),
    Array.from({ length: 40 }, (_, number) => number),
  )
  assert.deepEqual(sent, [32, 8])
  const one = reads.read(selectNumber, [1], 1000)
  assert.equal(reads.isFilling, true)
  await nextTurn()
  assert.equal(reads.isFilling, false)
  assert.deepEqual(await Promise.all([one, reads.read(selectNumber, [2], 1000)]), [[{ number: 1 }], [{ number: 2 }]])
  assert.deepEqual(sent, [32, 8, 1, 1])
  await session.end()
})

test('of reads that are sent together only those fail that the server refuses', async () => {
  const { session, sent } = await openSession()
  const reads = makeReadBatch(session)
  const results = await Promise.allSettled([1, 0, 2, 0].map((number) => reads.read(divide, [number], 1000)))
  assert.deepEqual(
    results.map((each) => (each.status === 'fulfilled' ? each.value : /division by zero/.test(String(each.reason)))),
    [[{ number: 1 }], true, [{ number: 0 }], true],
  )
  assert.deepEqual(sent, [4])
  await session.end()
})

test('when the connection is lost, every read that was sent fails, and none is repeated on it', async () => {
  const { session, sent } = await openSession()
  const reads = makeReadBatch({
    ...session,
    usable: false,
    sendAtOnce: async (steps) => (sent.push(steps.length), Promise.reject(new Error('lost'))),
  })
  const results = await Promise.allSettled([1, 2].map((number) => reads.read(selectNumber, [number], 1000)))
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.deepEqual(sent, [2])
  await session.end()
})
