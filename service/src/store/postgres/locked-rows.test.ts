// time limit: 120 s
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'

import pg from 'pg'

import { emptyChain } from '../audit-chain.ts'
import { insertCard, updateCard } from '../cards.ts'
import { findReceipt, updateReceipt, type ReceiptRow } from '../receipts.ts'
import { makeStatement } from '../statement.ts'
import { type Store, StoreOutcomeUnknown, StoreUnavailable } from '../store.ts'
import { countVerifiedEntries } from '../suite/audit.suite.ts'
import { withTestAuditKey } from '../suite/audit-key.fixture.ts'
import {
  insertSampleReceipt,
  makeKeyClaim,
  makeOperation,
  makeReceipt,
  makeReceiptExtras,
  makeReceiptUpdate,
  nextReceipt,
} from '../suite/money.fixture.ts'
import { execute, run, type Transaction } from '../transaction.ts'
import { makeAuditEntry, makeCard, nextVersion } from '../suite/samples.fixture.ts'
import { openPrimarySession } from './host-session.ts'
import { openPostgresStore } from './postgres.ts'
import { openPostgresProxy, type PostgresProxy } from './proxy.fixture.ts'
import { runTransactions, TransactionFailed } from './transaction.ts'
import { withPostgres } from './with-store.fixture.ts'

test(
  'a receipt that somebody else has locked holds up the COMMIT of others for a moment: they share one without it, and it goes on with the lock',
  withLock({ writers: 1 }, async ({ proxy, store, receipts, locked, release }) => {
    const before = countOf(proxy, 'commit')
    const late = pay(store, locked)
    const others = await Promise.all(receipts.map((receipt) => pay(store, receipt)))
    assert.deepEqual(new Set(others), new Set(['updated']))
    assert.equal(countOf(proxy, 'commit') - before, 1)
    await release()
    assert.equal(await late, 'updated')
    assert.equal(await countVerifiedEntries(store), receipts.length + 1 + 14)
  }),
)

test(
  'however many writes of locked receipts there are, one writer goes on, and each of them is refused with nothing done',
  withLock({ writers: 2 }, async ({ store, receipts, locked, others: moreLocked, release }) => {
    const waiting = [locked, ...moreLocked].flatMap((receipt) =>
      [1, 2, 3].map((number) => pay(store, receipt, `${receipt.receiptId}-${number}`)),
    )
    const refused = Promise.allSettled(waiting)
    const state = { isOver: false }
    void refused.then(() => (state.isOver = true))
    let version = 1
    let paidMeanwhile = 0
    // As long as they wait, and until all of the others were paid once; the lock is not released meanwhile. On a busy machine some of them may take too long.
    for (let rounds = 0; !state.isOver || version === 1; rounds++) {
      const next = version
      const key = ({ receiptId }: ReceiptRow): string => `${receiptId}-${next}-${rounds}`
      const results = await Promise.allSettled(receipts.map((receipt) => pay(store, { ...receipt, version: next }, key(receipt))))
      // The first round may have been paid in one COMMIT, before a writer had met a lock.
      if (rounds > 0 && !state.isOver) paidMeanwhile += results.filter(isUpdated).length
      if (results.every((result) => result.status === 'fulfilled')) version++
      else assert.ok(results.every((result) => result.status === 'fulfilled' || isLate(result.reason)))
    }
    assert.ok(paidMeanwhile > 0, 'a second round was paid while they waited')
    for (const result of await refused)
      assert.ok(result.status === 'rejected' && result.reason instanceof StoreUnavailable, String(Object.values(result)[1]))
    await release()
    assert.equal((await store.read(findReceipt(locked)))?.version, 1, 'nothing was done')
    assert.equal(await pay(store, locked), 'updated')
  }),
)

test(
  'writes that share no COMMIT hold up one writer while somebody else has their card locked, however many they are',
  withLock({ writers: 4 }, async ({ store, receipts, operator }) => {
    const card = makeCard(1)
    await store.write(insertCard, { card, audit: makeAuditEntry(card) })
    assert.equal((await operator.query('select 1 from cards where card_id = $1 for update', [card.cardId])).rowCount, 1)
    const next = nextVersion(card)
    let ended = 0
    const waiting = Array.from({ length: 600 }, () =>
      store.write(updateCard, { card: next, audit: makeAuditEntry(next) }).finally(() => ended++),
    )
    const refused = Promise.allSettled(waiting)
    // All writers there are have taken what they can of them.
    await untilWaiting(operator)
    const results = await Promise.all(receipts.map((receipt) => pay(store, receipt)))
    assert.deepEqual(new Set(results), new Set(['updated']))
    assert.equal(ended, 0, 'the payments did not wait for one of them')
    for (const result of await refused) assert.ok(result.status === 'rejected' && result.reason instanceof StoreUnavailable)
  }),
)

test(
  'a write that waits for its turn for a locked row, and then for the row, ends with the lock and not with its connection',
  withLock({ writers: 1 }, async ({ url, locked, operator }) => {
    const lock = makeStatement('select receipt_id from receipts where receipt_id = $1 for update')
    const { session } = await openPrimarySession(url, { allowUnsafe: true, searchPath: null }, () => assert.fail('the connection is lost'))
    const first = new pg.Client({ connectionString: url })
    await first.connect()
    try {
      // It gives up its turn after most of what a session waits for one lock.
      await first.query(`begin; set local lock_timeout = '950ms'`)
      const waits = first.query(lock.text, [locked.receiptId]).then(() => 'locked', String)
      await untilWaiting(operator)
      function* takeRow(): Transaction<void> {
        yield* run(lock, [locked.receiptId])
      }
      const at = { head: emptyChain('turn'), key: null }
      const failed: unknown = await runTransactions(session, at, [takeRow()], { deadline: performance.now() + 1800 }).catch(
        (err: unknown) => err,
      )
      assert.ok(failed instanceof TransactionFailed && failed.isLocked, String(failed))
      assert.ok(session.usable)
      assert.match(await waits, /lock timeout/)
    } finally {
      await first.end()
      await session.end()
    }
  }),
)

test(
  'statements that wait for rows one after the other end with a lock before the deadline, and not with their connection',
  withLock({ writers: 1 }, async ({ url, receipts }) => {
    const lock = makeStatement('select receipt_id from receipts where receipt_id = $1 for update')
    const { session } = await openPrimarySession(url, { allowUnsafe: true, searchPath: null }, () => undefined)
    const holders = receipts.map(() => new pg.Client({ connectionString: url }))
    function* takeRows(): Transaction<void> {
      for (const { receiptId } of receipts) yield* execute(lock, [receiptId])
      yield* run(lock, [receipts[0]?.receiptId ?? ''])
    }
    try {
      for (const [at, holder] of holders.entries()) {
        await holder.connect()
        await holder.query('begin')
        await holder.query(lock.text, [receipts[at]?.receiptId])
      }
      // Each row is locked for less than one statement may wait, and all of them for more than the transaction may take.
      const released = holders.map((holder, at) => setTimeout(150 * (at + 1)).then(() => holder.query('rollback')))
      const deadline = performance.now() + 1250
      const at = { head: emptyChain('turn'), key: null }
      const failed: unknown = await runTransactions(session, at, [takeRows()], { deadline, hasMetLock: true }).catch((err: unknown) => err)
      assert.ok(failed instanceof TransactionFailed && failed.isLocked, String(failed))
      assert.ok(session.usable)
      await Promise.all(released)
    } finally {
      await Promise.all([session, ...holders].map((each) => each.end()))
    }
  }),
)

test(
  'what a process that hangs has locked is released while others wait for it',
  withLock({ writers: 1 }, async ({ url, proxy, store, receipts: [receipt] }) => {
    assert.ok(receipt !== undefined)
    const other = withTestAuditKey(await openPostgresStore({ url, node: 'other', allowUnsafe: true, writers: 1 }))
    try {
      // It reads nothing more when it has changed the receipt: begin, the limit of waiting, the claim of the key, the receipt.
      let sent = 0
      proxy.behave(() => (++sent === 4 ? 'delay' : 'pass'))
      const hanging = pay(store, receipt, 'hangs')
      const ended = Promise.allSettled([hanging])
      while (sent < 4) await setTimeout(10)
      assert.equal(await pay(other, receipt), 'updated')
      const [result] = await ended
      assert.ok(result.status === 'rejected' && isLate(result.reason))
    } finally {
      await other.close(1000)
    }
  }),
)

test(
  'writes with and without the claim of a key lock rows in different orders, so they share no COMMIT',
  withLock({ writers: 1 }, async ({ proxy, store, receipts }) => {
    const before = countOf(proxy, 'commit')
    const results = await Promise.all(receipts.map((receipt, at) => (at % 2 === 0 ? pay(store, receipt) : payUnkeyed(store, receipt))))
    assert.deepEqual(new Set(results), new Set(['updated']))
    assert.equal(countOf(proxy, 'commit') - before, 2)
  }),
)

interface Locked {
  readonly url: string
  /** Has them locked. */
  readonly operator: pg.Client
  readonly proxy: PostgresProxy
  readonly store: Store
  /** Those that nobody has locked. */
  readonly receipts: readonly ReceiptRow[]
  readonly locked: ReceiptRow
  /** Locked as well. */
  readonly others: readonly ReceiptRow[]
  readonly release: () => Promise<void>
}

/** Until a session waits for what the operator has locked. */
async function untilWaiting(operator: pg.Client): Promise<void> {
  const waiting = 'select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))'
  while ((await operator.query(waiting)).rowCount === 0) await setTimeout(10)
}

/** A store with 14 receipts, of which another session has four locked. */
function withLock({ writers }: { readonly writers: number }, use: (context: Locked) => Promise<void>): () => Promise<void> {
  return withPostgres(async ({ url }) => {
    const proxy = await openPostgresProxy(url)
    const store = withTestAuditKey(await openPostgresStore({ url: proxy.url, node: 'locked', allowUnsafe: true, writers }))
    const operator = new pg.Client({ connectionString: url })
    await operator.connect()
    try {
      const all = await Promise.all(Array.from({ length: 14 }, (_, number) => insertSampleReceipt(store, makeReceipt(number))))
      const [locked, ...rest] = all
      assert.ok(locked !== undefined)
      const others = rest.slice(0, 3)
      await operator.query('begin')
      const ids = [locked, ...others].map(({ receiptId }) => receiptId)
      assert.equal((await operator.query('select receipt_id from receipts where receipt_id = any($1) for update', [ids])).rowCount, 4)
      const release = async (): Promise<void> => {
        await operator.query('rollback')
      }
      await use({ url, operator, proxy, store, receipts: rest.slice(3), locked, others, release })
    } finally {
      await operator.end()
      await store.close(1000)
      await proxy.close()
    }
  })
}

/** What a payment stores first: its idempotency key, the receipt and an operation. */
function pay(store: Store, receipt: ReceiptRow, key = receipt.receiptId): Promise<unknown> {
  const next = nextReceipt(receipt)
  return store.write(updateReceipt, {
    ...makeReceiptUpdate(next, { operations: [makeOperation(receipt, `op-${key}`)] }),
    ...makeReceiptExtras(next, { idempotency: { claim: makeKeyClaim(key), outcome: null } }),
  })
}

function isUpdated(result: PromiseSettledResult<unknown>): boolean {
  return result.status === 'fulfilled' && result.value === 'updated'
}

function isLate(err: unknown): boolean {
  return err instanceof StoreUnavailable || err instanceof StoreOutcomeUnknown
}

function payUnkeyed(store: Store, receipt: ReceiptRow): Promise<unknown> {
  const next = nextReceipt(receipt)
  return store.write(updateReceipt, { ...makeReceiptUpdate(next), ...makeReceiptExtras(next) })
}

function countOf({ queries }: PostgresProxy, query: string): number {
  return queries.filter((text) => text === query).length
}
