import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withMany, type Statement } from '../statement.ts'
import { execute, runOne, type Transaction } from '../transaction.ts'
import type { Step } from './pipelined-query.ts'
import type { Session } from './session.ts'
import { runTransactions, TransactionFailed, type TransactionLimits } from './transaction.ts'

const statement = (name: string): Statement => ({ name, text: name })
const read = statement('read')

function* change(): Transaction<string> {
  yield* execute(statement('first'), [])
  yield* execute(statement('second'), [])
  const row = yield* runOne(read, [])
  yield* execute(statement('last'), [])
  return row === null ? 'no row' : 'a row'
}

const at = { head: { chain: 'c', seq: 0, hash: new Uint8Array(32) }, key: null }

test('statements whose rows nobody reads take no round trip: they go with the next that is read, and with COMMIT, in their order', async () => {
  const sent: string[][] = []
  const session = sessionOf((steps) => void sent.push(steps.map((step) => step.statement.name)))
  const { result } = await runTransactions(session, at, [change()], { deadline: performance.now() + 60_000 })
  assert.deepEqual(result, ['a row'])
  assert.deepEqual(sent, [
    ['begin', `set local lock_timeout = '250ms'`, 'first', 'second', 'read'],
    ['last', 'commit'],
  ])
})

test('transactions that share a COMMIT lock the same rows in one order, in whichever order they came', async () => {
  const lock = statement('lock')
  function* transfer(key: string): Transaction<void> {
    yield* execute(statement('insert'), [key])
    yield* runOne(lock, ['claim', key])
    // The second round has another order than the first.
    yield* runOne(lock, ['row', String(100 - Number(key))])
  }
  const keys = ['19', '28', '37', '46']
  for (const given of [keys, keys.toReversed(), ['37', '19', '46', '28']]) {
    const locked: unknown[] = []
    const session = sessionOf((steps) => {
      for (const { statement: sent, values } of steps) if (sent === lock) locked.push(values[1])
    })
    await runTransactions(session, at, given.map(transfer), { deadline: performance.now() + 60_000 })
    assert.deepEqual(locked, [...keys, '54', '63', '72', '81'])
  }
})

test('a transaction that shares its COMMIT, and the first attempt of one alone, wait for a locked row for a moment', async () => {
  const firstOf = async (count: number, limits: TransactionLimits): Promise<string | undefined> => {
    const sent: string[] = []
    const session = sessionOf((steps) => void sent.push(...steps.map((step) => step.statement.name)))
    await runTransactions(session, at, Array.from({ length: count }, change), limits).catch(() => undefined)
    return sent[1]
  }
  const deadline = performance.now() + 60_000
  assert.equal(await firstOf(1, { deadline }), `set local lock_timeout = '250ms'`)
  assert.equal(await firstOf(1, { deadline, hasMetLock: true }), 'first', 'the limit of the session')
  assert.equal(await firstOf(2, { deadline }), `set local lock_timeout = '250ms'`)
  assert.equal(await firstOf(2, { deadline, hasMetLock: true }), `set local lock_timeout = '50ms'`)
  // Each of the two locks of a row may be waited for as long, and COMMIT needs 250 ms.
  assert.equal(await firstOf(1, { deadline: performance.now() + 1700, hasMetLock: true }), `set local lock_timeout = '500ms'`)
  assert.equal(await firstOf(2, { deadline: performance.now() + 740 }), `set local lock_timeout = '50ms'`, 'four statements wait in turn')
  assert.equal(await firstOf(1, { deadline: performance.now() + 300 }), `set local lock_timeout = '25ms'`)
})

test('the less time is left, the shorter the statements of each later round wait for a row, those ahead of COMMIT too', async (t) => {
  t.mock.method(performance, 'now', () => now)
  let now = 0
  const sent: string[][] = []
  const session = sessionOf((steps) => {
    sent.push(steps.map(({ statement: { name, text } }) => (text.startsWith('select set_config') ? 'lower the limit' : name)))
    now += 700
  })
  await runTransactions(session, at, [change()], { deadline: 1900, hasMetLock: true })
  assert.deepEqual(sent, [
    ['begin', 'first', 'lower the limit', 'second', 'lower the limit', 'read'],
    [`set local lock_timeout = '250ms'`, 'last', 'commit'],
  ])
})

test('the rows of one statement for several transactions wait for locks in turn: the limit is lower ahead of it, and the usual one behind it', async () => {
  const sent: [name: string, rows: unknown][] = []
  const session = sessionOf((steps) => {
    for (const { statement: one, values } of steps)
      sent.push(one.text.startsWith('select set_config') ? ['limit', values[2]] : [one.text, null])
  })
  const claim = withMany(statement('claim one'), 'claim many', { columns: 1, key: ['key'] })
  function* claimAndWrite(key: number): Transaction<void> {
    yield* runOne(claim, [key])
    yield* runOne(statement('write'), [key])
  }
  const transactions = [1, 2, 3, 4, 5, 6].map(claimAndWrite)
  await runTransactions(session, at, transactions, { deadline: performance.now() + 60_000, mayMerge: true })
  const write = ['write', null]
  assert.deepEqual(sent, [
    ['begin', null],
    [`set local lock_timeout = '250ms'`, null],
    // Each of six rows may wait for two locks.
    ['limit', 12],
    ['claim many', null],
    ['limit', 8],
    write,
    write,
    write,
    write,
    ['limit', 8],
    write,
    write,
    ['commit', null],
  ])
})

test('a transaction whose connection is lost before COMMIT is sent is stored nowhere, and may be repeated with those that share it', async () => {
  for (const count of [1, 2]) {
    let sent = 0
    const session = Object.defineProperty(
      sessionOf(() => {
        sent++
      }),
      'usable',
      { get: () => sent === 0 },
    )
    Object.assign(session, { destroy: () => undefined })
    const failed: unknown = await runTransactions(session, at, Array.from({ length: count }, change), {
      deadline: performance.now() + 60_000,
    }).catch((err: unknown) => err)
    assert.ok(failed instanceof TransactionFailed)
    assert.deepEqual([failed.fault, failed.culprits], ['again', null])
  }
})

function sessionOf(onSent: (steps: readonly Step[]) => void): Session {
  return {
    usable: true,
    takeWarning: () => false,
    send: async (steps) => {
      onSent(steps)
      return steps.map((step) => ({ rows: step.statement === read ? [{ one: 1 }] : [], command: step.statement.name.toUpperCase() }))
    },
    sendAtOnce: () => assert.fail('writes are sent with others'),
    query: async () => [],
    execute: async () => undefined,
    end: async () => undefined,
    destroy: () => assert.fail('the connection is destroyed'),
  }
}
