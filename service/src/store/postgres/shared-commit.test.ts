import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listOperations } from '../operations.ts'
import { findReceipt, updateReceipt, type ReceiptRow } from '../receipts.ts'
import { insertLedgerEntry } from '../sandbox-ledger.ts'
import type { Row } from '../statement.ts'
import type { Store } from '../store.ts'
import { countVerifiedEntries } from '../suite/audit.suite.ts'
import { withTestAuditKey } from '../suite/audit-key.fixture.ts'
import {
  insertSampleReceipt,
  makeEvent,
  makeKeyClaim,
  makeMovement,
  makeOperation,
  makeReceipt,
  makeReceiptExtras,
  makeReceiptUpdate,
  nextReceipt,
} from '../suite/money.fixture.ts'
import { insertSampleEndpoint } from '../suite/webhooks.fixture.ts'
import { openPostgresProxy, type PostgresProxy } from './proxy.fixture.ts'
import { openPostgresStore } from './postgres.ts'
import { withPostgres } from './with-store.fixture.ts'

const numbers = Array.from({ length: 20 }, (_, number) => number)

test(
  'transactions of different receipts that wait at the same time share a COMMIT, and each is stored with all that belongs to it',
  withOneWriter(async ({ store, proxy }) => {
    const receipts = await Promise.all(numbers.map((number) => insertSampleReceipt(store, makeReceipt(number))))
    const before = countCommits(proxy)
    assert.deepEqual(await Promise.all(receipts.map((receipt) => pay(store, receipt))), Array(20).fill('updated'))
    assert.equal(countCommits(proxy) - before, 1)
    for (const receipt of receipts) {
      assert.equal((await store.read(findReceipt(receipt)))?.version, 2)
      assert.equal((await store.read(listOperations(receipt))).length, 1)
    }
    assert.equal(await countVerifiedEntries(store), 40)
  }),
)

test(
  'transactions of one receipt, or under one idempotency key, never share a COMMIT: the first is stored, and the others get its conflict',
  withOneWriter(async ({ store }) => {
    const [one, two, three] = await Promise.all([1, 2, 3].map((number) => insertSampleReceipt(store, makeReceipt(number))))
    assert.ok(one !== undefined && two !== undefined && three !== undefined)
    const results = await Promise.all([pay(store, one), pay(store, one, 'other'), pay(store, two, 'k'), pay(store, three, 'k')])
    assert.deepEqual(results, ['updated', 'conflict', 'updated', 'duplicate_request'])
    assert.equal((await store.read(findReceipt(three)))?.version, 1)
    assert.equal(await countVerifiedEntries(store), 5)
  }),
)

test(
  'when one of the transactions that share a COMMIT conflicts or fails, only that one does, and the others are stored',
  withPostgres(
    async ({ store }) => {
      const receipts = await Promise.all(numbers.map((number) => insertSampleReceipt(store, makeReceipt(number))))
      const [conflicting, failing, ...good] = receipts
      assert.ok(conflicting !== undefined && failing !== undefined)
      await pay(store, conflicting)
      const results = await Promise.allSettled([
        ...good.slice(0, 9).map((receipt) => pay(store, receipt)),
        pay(store, conflicting, 'other'),
        // Out of range, in a statement that is sent with COMMIT.
        store.write(updateReceipt, {
          ...makeReceiptUpdate(nextReceipt(failing), { operations: [makeOperation(failing, 'op', { bucket: 2 ** 40 })] }),
          ...makeReceiptExtras(nextReceipt(failing)),
        }),
        ...good.slice(9).map((receipt) => pay(store, receipt)),
      ])
      const outcomes = results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed'))
      assert.deepEqual(outcomes, [...Array<string>(9).fill('updated'), 'conflict', 'failed', ...Array<string>(9).fill('updated')])
      assert.equal((await store.read(findReceipt(failing)))?.version, 1)
      assert.equal(await countVerifiedEntries(store), 20 + 1 + 18)
    },
    { writers: 1 },
  ),
)

test(
  'a transaction that conflicts is repeated alone, and the others still share one COMMIT',
  withOneWriter(async ({ store, proxy }) => {
    const receipts = await Promise.all(numbers.map((number) => insertSampleReceipt(store, makeReceipt(number))))
    const [conflicting, ...good] = receipts
    assert.ok(conflicting !== undefined)
    await pay(store, conflicting)
    const before = countCommits(proxy)
    const results = await Promise.all([...good.map((receipt) => pay(store, receipt)), pay(store, conflicting, 'other')])
    assert.deepEqual(results, [...Array<string>(19).fill('updated'), 'conflict'])
    assert.equal(countCommits(proxy) - before, 1)
  }),
)

test(
  'movements in the ledger of the sandbox share a COMMIT with each other, and with no transaction of a receipt',
  withOneWriter(async ({ store, proxy }) => {
    const receipts = await Promise.all(numbers.map((number) => insertSampleReceipt(store, makeReceipt(number))))
    const before = countCommits(proxy)
    const movements = numbers.map((number) => store.write(insertLedgerEntry, makeMovement(`request ${number}`)))
    const again = store.write(insertLedgerEntry, makeMovement('request 7'))
    await Promise.all([...movements, ...receipts.map((receipt) => pay(store, receipt))])
    assert.deepEqual([await Promise.all(movements), await again], [Array(20).fill(true), false])
    assert.equal(countCommits(proxy) - before, 3)
    const sent = proxy.queries.length
    await Promise.all(numbers.map((number) => store.write(insertLedgerEntry, makeMovement(`later request ${number}`))))
    // BEGIN, the limit of waits for locks and that of the rows of one statement, the movements, COMMIT.
    assert.equal(proxy.queries.length - sent, 5)
  }),
)

test(
  'equal statements of transactions that share a COMMIT are one statement, with the same rows as each by itself',
  withOneWriter(async ({ store, proxy, raw }) => {
    await insertSampleEndpoint(store, 'one')
    const receipts = await Promise.all(numbers.map((number) => insertSampleReceipt(store, makeReceipt(number))))
    const [alone, ...together] = receipts
    assert.ok(alone !== undefined)
    await pay(store, alone)
    const before = proxy.queries.length
    await Promise.all(together.map((receipt) => pay(store, receipt)))
    // BEGIN, the keys, 19 receipts, operations, events, deliveries, audit entries, COMMIT; the limits of waits for locks.
    assert.equal(proxy.queries.length - before, 1 + 1 + 19 + 3 + 1 + 1 + (1 + 1 + 5 + 3))
    for (const receipt of receipts) {
      assert.equal((await store.read(findReceipt(receipt)))?.version, 2)
      assert.deepEqual(await store.read(listOperations(receipt)), [makeOperation(receipt, `op-${receipt.receiptId}`)])
    }
    const rows = await raw(`
      select d.object_id, d.position, d.due_at, o.position as outbox_position, o.at from deliveries d join outbox o on o.event_id = d.event_id`)
    assert.equal(rows.length, 20)
    for (const row of rows) assert.deepEqual([row['position'], row['due_at'], row['outbox_position']], [1, row['at'], 1].map(String))
    const keys = await raw('select request_id, sealed from idempotency')
    assert.equal(keys.length, 20)
  }),
)

/** What a payment stores first: its idempotency key, the receipt, an operation, an event and an audit entry. */
function pay(store: Store, receipt: ReceiptRow, key = receipt.receiptId): Promise<unknown> {
  const next = nextReceipt(receipt)
  return store.write(updateReceipt, {
    ...makeReceiptUpdate(next, { operations: [makeOperation(receipt, `op-${receipt.receiptId}`)] }),
    ...makeReceiptExtras(next, {
      idempotency: { claim: makeKeyClaim(key), outcome: null },
      events: [makeEvent(receipt.receiptId, `event-${receipt.receiptId}`)],
    }),
  })
}

function countCommits({ queries }: PostgresProxy): number {
  return queries.filter((text) => text === 'commit').length
}

interface OneWriter {
  readonly proxy: PostgresProxy
  readonly store: Store
  readonly raw: (text: string) => Promise<readonly Row[]>
}

function withOneWriter(run: (context: OneWriter) => Promise<void>): () => Promise<void> {
  return withPostgres(async ({ url, raw }) => {
    const proxy = await openPostgresProxy(url)
    const store = withTestAuditKey(await openPostgresStore({ url: proxy.url, node: 'shared', allowUnsafe: true, writers: 1 }))
    try {
      await run({ proxy, store, raw })
    } finally {
      await store.close(1000)
      await proxy.close()
    }
  })
}
