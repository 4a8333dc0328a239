import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Statement } from '../statement.ts'
import { execute, runOne, type Transaction } from '../transaction.ts'
import type { Session } from './session.ts'
import { runTransactions } from './transaction.ts'

const statement = (name: string): Statement => ({ name, text: name })
const read = statement('read')

function* change(): Transaction<string> {
  yield* execute(statement('first'), [])
  yield* execute(statement('second'), [])
  const row = yield* runOne(read, [])
  yield* execute(statement('last'), [])
  return row === null ? 'no row' : 'a row'
}

test('statements whose rows nobody reads take no round trip: they go with the next that is read, and with COMMIT, in their order', async () => {
  const sent: string[][] = []
  const session: Session = {
    usable: true,
    takeWarning: () => false,
    send: async (steps) => {
      sent.push(steps.map((step) => step.statement.name))
      return steps.map((step) => ({ rows: step.statement === read ? [{ one: 1 }] : [], command: step.statement.name.toUpperCase() }))
    },
    query: async () => [],
    execute: async () => undefined,
    end: async () => undefined,
    destroy: () => assert.fail('the connection is destroyed'),
  }
  const at = { head: { chain: 'c', seq: 0, hash: new Uint8Array(32) }, key: null }
  const { result } = await runTransactions(session, at, [change()], performance.now() + 60_000)
  assert.deepEqual(result, ['a row'])
  assert.deepEqual(sent, [
    ['begin', 'first', 'second', 'read'],
    ['last', 'commit'],
  ])
})
