import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { ExportPage, ExportSource } from '../app/export-jobs.ts'
import { type ExportProgress, openExportRows, readExport } from './export-run.ts'

const temporary = new Error('no connection')

test('a page that fails is asked for again at the same cursor: nothing is lost and nothing is repeated', async () => {
  const { source, asked } = makeSource(5, new Set([0, 2, 3, 6]))
  const waits: number[] = []
  const steps: ExportProgress[] = []
  const { rows } = await openExportRows(readExport(source, dependencies({ waits, steps })))
  assert.deepEqual(await collect(rows), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  assert.deepEqual(asked, [null, null, '1', '1', '1', '2', '3', '3', '4'])
  assert.deepEqual(waits, [1000, 1000, 2000, 1000])
  assert.deepEqual(
    steps.filter(({ isWaiting }) => isWaiting).map(({ rows }) => rows),
    [0, 2, 2, 6],
  )
  assert.deepEqual(steps.at(-1), { rows: 10, atMost: 10, unread: 3, isWaiting: false })
})

test('an error that no waiting helps ends the export at once, and a service that stays away ends it after some minutes', async () => {
  const { source } = makeSource(2, new Set([1]))
  const refused = { ...dependencies(), isTemporary: () => false }
  await assert.rejects(
    openExportRows(readExport(source, refused)).then(({ rows }) => collect(rows)),
    temporary,
  )
  const waits: number[] = []
  const gone = makeSource(2, new Set(Array.from({ length: 99 }, (_, at) => at)))
  await assert.rejects(openExportRows(readExport(gone.source, dependencies({ waits }))), temporary)
  const seconds = waits.reduce((sum, ms) => sum + ms, 0) / 1000
  assert.ok(seconds > 180 && seconds < 600, String(seconds))
})

test('an export that is stopped reads no further page', async () => {
  const { source, asked } = makeSource(9)
  const controller = new AbortController()
  const { rows } = await openExportRows(readExport(source, { ...dependencies(), signal: controller.signal }))
  await rows.next()
  controller.abort(new Error('stopped'))
  await assert.rejects(collect(rows), /stopped/)
  assert.equal(asked.length, 1)
})

test('a list without rows has its columns', async () => {
  const { source } = makeSource(1)
  const empty: ExportSource = { ...source, open: () => async () => ({ columns: [{ header: 'a', kind: 'text' }], rows: [], next: null }) }
  const { columns, rows } = await openExportRows(readExport(empty, dependencies()))
  assert.deepEqual([columns.length, await collect(rows)], [1, []])
})

/** Pages of two rows, numbered on; the calls of `failing` fail. */
function makeSource(pages: number, failing: ReadonlySet<number> = new Set()): { source: ExportSource; asked: (string | null)[] } {
  const asked: (string | null)[] = []
  const fetchPage = async (after: string | null): Promise<ExportPage> => {
    asked.push(after)
    if (failing.has(asked.length - 1)) throw temporary
    const at = Number(after ?? 0)
    const rows = [[2 * at], [2 * at + 1]]
    return {
      columns: [{ header: 'n', kind: 'integer' }],
      rows,
      next: at + 1 < pages ? String(at + 1) : null,
      atMost: 2 * pages,
      unread: at === 2 ? 3 : 0,
    }
  }
  return { source: { name: 'n', list: 'receipts', conditions: [], title: 'N', open: () => fetchPage }, asked }
}

function dependencies({ waits = [], steps = [] }: { waits?: number[]; steps?: ExportProgress[] } = {}) {
  return {
    signal: new AbortController().signal,
    onProgress: (step: ExportProgress) => void steps.push(step),
    wait: async (ms: number) => void waits.push(ms),
    isTemporary: (err: unknown) => err === temporary,
  }
}

async function collect(rows: AsyncIterable<readonly unknown[]>): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const [value] of rows) all.push(value)
  return all
}
