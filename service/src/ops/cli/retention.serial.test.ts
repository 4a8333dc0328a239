import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { listStoredKinds } from '../../store/retention.ts'
import { makeScratch, runHere, startTesseraChild } from '../../testing/child.fixture.ts'

interface Report {
  readonly stored: readonly { readonly what: string; readonly rows: number; readonly oldestAt: string | null; readonly overdue: number }[]
  readonly overdue: number
}

test('the report counts what is stored beside the running service, and ends with 1 when something is past its time', async () => {
  const data = join(makeScratch(), 'data')
  const service = await startTesseraChild(data)
  const card = { number: '8600495473316478', expire: '0399' }
  const [kept, removed] = [
    await service.call('cards.create', { card, save: true }),
    await service.call('cards.create', { card, save: true }),
  ]
  assert.equal(kept.status, 200)
  await service.call('cards.remove', { token: removed.reply.result?.card.token ?? '' }, true)
  const fresh = await report(data)
  assert.deepEqual([fresh.code, fresh.data.overdue, fresh.data.stored.length], [0, 0, listStoredKinds('sqlite').length])
  assert.deepEqual([rowsOf(fresh.data, 'sealed card numbers'), rowsOf(fresh.data, 'cards without a number')], [1, 1])
  assert.ok(rowsOf(fresh.data, 'entries of the audit') > 1)
  assert.ok(Math.abs(Date.parse(fresh.data.stored[0]?.oldestAt ?? '') - Date.now()) < 60_000)
  await service.stop()

  // As after weeks without a service: the card is due, and a session of the dashboard is.
  const db = new DatabaseSync(join(data, 'tessera.db'))
  db.exec(`update cards set ends_at = ${String(Date.now() - 2 * 3_600_000)} where key_id <> ''`)
  db.exec(
    `insert into known_devices (${columnsOf(db, 'known_devices').join(', ')}) values (${columnsOf(db, 'known_devices', true).join(', ')})`,
  )
  db.close()
  const late = await report(data)
  assert.deepEqual([late.code, late.data.overdue], [1, 2])
  const overdue = late.data.stored.filter((each) => each.overdue > 0).map(({ what }) => what)
  assert.deepEqual(overdue, ['sealed card numbers', 'known devices of users'])
  const { out } = await runHere(['retention', 'report', `--data=${data}`])
  assert.match(out, /sealed card numbers .* 1 .*\n[^]*Past its time for more than an hour: sealed card numbers, known devices of users\./)
})

test('without a database it says so, and creates none', async () => {
  const data = join(makeScratch(), 'none')
  const { code, err } = await runHere(['retention', 'report', `--data=${data}`])
  assert.deepEqual([code, /has no schema of this version yet/.test(err), existsSync(data)], [78, true, false], err)
})

async function report(data: string): Promise<{ code: number | null; data: Report }> {
  const { code, out } = await runHere(['retention', 'report', '--json', `--data=${data}`])
  return { code, data: JSON.parse(out) as Report }
}

function rowsOf({ stored }: Report, what: string): number {
  return stored.find((each) => each.what === what)?.rows ?? -1
}

/** The columns of a table, or a row of the least values in them: made at the beginning of 1970. */
function columnsOf(db: DatabaseSync, table: string, asValues = false): string[] {
  const columns = db.prepare(`select name, type from pragma_table_info('${table}')`).all() as { name: string; type: string }[]
  return columns.map(({ name, type }) =>
    asValues ? (type.toLowerCase() === 'blob' ? "x'00'" : type.toLowerCase() === 'text' ? "'x'" : '1') : name,
  )
}
