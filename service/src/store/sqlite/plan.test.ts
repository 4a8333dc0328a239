import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cardsTable, listEndedCards, listSavedCards } from '../cards.ts'
import { countOpenReceipts, listDueInProgress, listDueReceipts, listFlaggedReceipts, listOpenReceipts, listReceipts } from '../receipts.ts'
import { sampleMacs, sampleRows } from '../sampled-rows.ts'
import { deepReceiptPage, fillReceipts } from '../suite/many-receipts.fixture.ts'
import { withSqlite } from './with-store.fixture.ts'

for (const analyzed of [false, true]) {
  const when = analyzed ? 'with the statistics of many receipts' : 'without statistics'
  test(
    `the embedded store reads a page of receipts as a range of an index, ${when}`,
    withSqlite(async ({ raw }) => {
      if (analyzed) await fillReceipts(raw, 'sqlite')
      const plan = async (text: string): Promise<unknown[]> => (await raw(`explain query plan ${text}`)).map((row) => row['detail'])
      assert.deepEqual(await plan(listReceipts(deepReceiptPage).statement.text), [
        'SEARCH receipts USING INDEX receipts_newest (bucket=? AND merchant_id=? AND created_at>? AND created_at<?)',
      ])
      assert.deepEqual(await plan(listDueReceipts(0, 10).statement.text), [
        'SEARCH receipts USING INDEX receipts_due_at ((due_at,receipt_id)>(?,?) AND due_at<?)',
      ])
      assert.deepEqual(await plan(listDueInProgress(0, 10).statement.text), [
        'SEARCH receipts USING INDEX receipts_due_at ((due_at,receipt_id)>(?,?) AND due_at<?)',
        'CORRELATED SCALAR SUBQUERY 1',
        'SEARCH o USING INDEX sqlite_autoindex_operations_1 (bucket=? AND receipt_id=? AND request_id=?)',
      ])
      const open = await plan(listOpenReceipts(20, 10).statement.text)
      assert.ok(open.length === 1 && String(open[0]).startsWith('SEARCH receipts USING INDEX receipts_open (state=? AND '), open.join())
      const flagged = await plan(listFlaggedReceipts(10, '').statement.text)
      assert.ok(flagged.length === 1 && String(flagged[0]).includes('USING INDEX receipts_flagged (receipt_id>?)'), flagged.join())
      const counts = (await plan(countOpenReceipts(0).statement.text)).map(String).filter((step) => / receipts /.test(step))
      assert.equal(counts.length, 9)
      for (const step of counts) assert.match(step, /USING (COVERING )?INDEX receipts_(open|flagged|due_at)/)
    }),
  )
}

test(
  'the embedded store reads ended cards as ranges of indexes',
  withSqlite(async ({ raw }) => {
    const plan = async (text: string): Promise<unknown[]> => (await raw(`explain query plan ${text}`)).map((row) => row['detail'])
    assert.deepEqual(await plan(listSavedCards(0, 10).statement.text), [
      'SEARCH cards USING INDEX cards_kept ((ends_at,card_id)>(?,?) AND ends_at<?)',
    ])
    assert.deepEqual(await plan(listEndedCards(0, 10).statement.text), [
      'SEARCH cards USING INDEX cards_ends_at ((ends_at,card_id)>(?,?) AND ends_at<?)',
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH r USING INDEX receipts_held (bucket=? AND card_id=?)',
    ])
  }),
)

test(
  'the rows that a start samples are read from the end of an index, however many there are',
  withSqlite(async ({ raw }) => {
    const samples = [sampleMacs('audit', 5), sampleMacs('cards', 5), sampleRows(cardsTable, 5, 'first'), sampleRows(cardsTable, 5, 'last')]
    for (const { statement } of samples) {
      const plan = (await raw(`explain query plan ${statement.text}`)).map((row) => String(row['detail']))
      assert.ok(plan.length === 1 && /^SCAN (audit|cards) USING INDEX /.test(plan[0] ?? ''), plan.join())
    }
  }),
)
