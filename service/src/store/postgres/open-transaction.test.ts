import assert from 'node:assert/strict'
import { test } from 'node:test'

import { findReceipt, insertReceipt } from '../receipts.ts'
import { sql } from '../statement.ts'
import { withTestAuditKey } from '../suite/audit-key.fixture.ts'
import { insertSampleReceipt, makeKeyClaim, makeReceipt, makeReceiptExtras } from '../suite/money.fixture.ts'
import { execute, run, type Transaction } from '../transaction.ts'
import { openPostgresStore } from './postgres.ts'
import { openPostgresSession } from './session.ts'
import { runTransactions, TransactionFailed } from './transaction.ts'
import { withPostgres } from './with-store.fixture.ts'

test(
  'a transaction whose audit entries cannot be linked is rolled back: the next one on its connection does not store its rows',
  withPostgres(async ({ url }) => {
    const store = await openPostgresStore({ url, node: 'no-key', allowUnsafe: true, writers: 1 })
    try {
      const [refused, stored] = [makeReceipt(1), makeReceipt(2)]
      const idempotency = { claim: makeKeyClaim('a'), outcome: null }
      await assert.rejects(store.write(insertReceipt, { receipt: refused, ...makeReceiptExtras(refused, { idempotency }) }), /no audit key/)
      await insertSampleReceipt(withTestAuditKey(store), stored)
      assert.equal(await store.read(findReceipt(refused)), null)
      assert.equal((await store.read(findReceipt(stored)))?.version, 1)
    } finally {
      await store.close(1000)
    }
  }),
)

test(
  'a connection on which a transaction is still open is given up, and neither its rows nor those of the next transaction are stored',
  withPostgres(async ({ url, raw }) => {
    await raw('create table written (name text)')
    const session = await openPostgresSession(url, () => undefined)
    await session.execute(`begin; insert into written values ('before')`)
    const at = { head: { chain: 'c', seq: 0, hash: new Uint8Array(32) }, key: null }
    await assert.rejects(runTransactions(session, at, [writeOne()], { deadline: performance.now() + 60_000 }), TransactionFailed)
    assert.equal(session.usable, false)
    assert.deepEqual(await raw('select name from written'), [])
  }),
)

function* writeOne(): Transaction<void> {
  yield* run(sql`select name from written`, [])
  yield* execute(sql`insert into written values ('next')`, [])
}
