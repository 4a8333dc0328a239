import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import pg from 'pg'
import { median } from '../fault/statistics.ts'
import type { ServiceData, StoreKind } from '../fault/service-data.ts'
import { dataFolderOf } from '../fault/inspect.ts'
import { openPostgresStore } from '../service/src/store/postgres/postgres.ts'
import { openSqliteStore, SQLITE_FILE } from '../service/src/store/sqlite/sqlite.ts'
import { makePostgresRequestLog } from '../service/src/store/postgres/request-log.ts'
import type { RequestLogStore } from '../service/src/store/request-log-store.ts'
import { makeSqliteRequestLog, requestLogPathOf } from '../service/src/store/sqlite/request-log.ts'
import type { Store } from '../service/src/store/store.ts'
import { dashboardListQueries, type ListQuery, requestLogQueries } from '../service/src/store/suite/dashboard-lists.fixture.ts'
import { analyzeRows, fillRows } from '../service/src/store/suite/many-rows.fixture.ts'
import { fillSegments } from '../service/src/store/suite/many-segments.fixture.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'

/** The lists of the dashboard over a million rows per table, compared with ten thousand. */
export const lists: Measurement = {
  name: 'lists',
  question: 'Does a page of a list of the dashboard over a million rows take longer than over ten thousand?',
  async run(bench) {
    const measures: Measure[] = []
    for (const kind of bench.stores) measures.push(...(await measure(bench, kind)))
    return measures
  },
}

async function measure({ dataFactory, isQuick, say }: Bench, kind: StoreKind): Promise<Measure[]> {
  const [fewRows, manyRows] = [10_000, isQuick ? 100_000 : 1_000_000]
  const [fewData, manyData] = [await dataFactory.create(kind), await dataFactory.create(kind)]
  try {
    await fillStore(kind, fewData, fewRows)
    const startedAt = performance.now()
    await fillStore(kind, manyData, manyRows)
    await fillRequestLog(kind, fewData, fewRows)
    await fillRequestLog(kind, manyData, manyRows)
    say(`lists ${kind}: ${manyRows} rows per table in ${Math.round((performance.now() - startedAt) / 1000)} s`)
    const [few, many] = [await openListStore(kind, fewData), await openListStore(kind, manyData)]
    const [fewLog, manyLog] = [openRequestLog(kind, few, fewData), openRequestLog(kind, many, manyData)]
    // 1000 pages behind the first, with few rows 200.
    const [fewBehind, manyBehind] = [5000, 25_000]
    const turns = isQuick ? 15 : 60
    try {
      const ofStore = [
        withSearch(dashboardListQueries(fewRows, fewBehind)),
        withSearch(dashboardListQueries(manyRows, manyBehind)),
      ] as const
      const ofLog = [listsOf(requestLogQueries(fewRows, fewBehind)), listsOf(requestLogQueries(manyRows, manyBehind))] as const
      return [
        ...(await compare(kind, { few, many, ofFew: ofStore[0], ofMany: ofStore[1], turns })),
        ...(await compare(kind, { few: fewLog, many: manyLog, ofFew: ofLog[0], ofMany: ofLog[1], turns })),
      ]
    } finally {
      await Promise.all([fewLog.close(), manyLog.close()])
      await Promise.all([few.close(5000), many.close(5000)])
    }
  } finally {
    await fewData.remove()
    await manyData.remove()
  }
}

/** And all that the search of the whole dashboard looks up for one text, at once, as it does. The call that a request id names is in the request log. */
function withSearch(queries: readonly ListQuery[]): readonly ListQuery[] {
  const looked = queries.filter(({ name }) => searchLookUps.has(name))
  const [first] = looked
  if (first === undefined || looked.length !== searchLookUps.size) throw new Error('the search looks up other things')
  const rowsMax = looked.reduce((sum, query) => sum + query.rowsMax, 0)
  const run: ListQuery['run'] = (store) => Promise.all(looked.map((query) => query.run(store)))
  return [...queries, { name: searchName, read: first.read, run, rowsMax }]
}

const searchName = 'search of everything, all look-ups of one text'
/** service/src/domain/reporting/search.ts */
const searchLookUps: ReadonlySet<string> = new Set([
  'receipts, by the first digits of an id',
  'receipts, of one second, to compare their ids',
  'receipt summaries, of one order',
  'receipt summaries, of one amount',
  'receipt summaries, of one customer, deep',
  'cards, by the last four',
  'cards, by the payer',
  'SMS to one phone',
])

/** Without what only a job of the background reads, which is as long as the log. */
function listsOf(queries: readonly ListQuery[]): readonly ListQuery[] {
  return queries.filter(({ name }) => name !== 'request log, beyond the maximum')
}

interface StorePair {
  readonly few: Pick<Store, 'read'>
  readonly many: Pick<Store, 'read'>
  /** The same queries for each, in the same order. */
  readonly ofFew: readonly ListQuery[]
  readonly ofMany: readonly ListQuery[]
  readonly turns: number
}

/** Alternating, so that other load on the machine affects both. */
async function compare(kind: StoreKind, { few, many, ofFew, ofMany, turns }: StorePair): Promise<Measure[]> {
  const measures: Measure[] = []
  for (const [at, question] of ofMany.entries()) {
    const counterpart = ofFew[at]
    if (counterpart === undefined) continue
    const durations: { few: number; many: number }[] = []
    for (let turn = 0; turn < turns + warmUps; turn++) {
      const span = { few: await time(() => counterpart.run(few)), many: await time(() => question.run(many)) }
      if (turn >= warmUps) durations.push(span)
    }
    const [fewMs, manyMs] = [median(durations.map((span) => span.few)), median(durations.map((span) => span.many))]
    const of = `lists ${kind}`
    measures.push({
      of,
      name: question.name,
      value: manyMs,
      unit: 'ms',
      target: { most: question.name === searchName ? 200 : question.rowsMax > 1000 ? 100 : 10 },
    })
    measures.push({ of, name: question.name, value: manyMs / fewMs, unit: 'times as long', target: { most: 3 } })
  }
  return measures
}

async function time(ask: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await ask()
  return performance.now() - startedAt
}

export function openListStore(kind: StoreKind, serviceData: ServiceData): Promise<Store> {
  return kind === 'sqlite'
    ? openSqliteStore({ folder: dataFolderOf(serviceData) })
    : openPostgresStore({ url: serviceData.databaseUrl ?? '', allowUnsafe: true })
}

function openRequestLog(kind: StoreKind, store: Store, serviceData: ServiceData): RequestLogStore {
  if (kind === 'postgres') return makePostgresRequestLog(store)
  return makeSqliteRequestLog({ folder: dataFolderOf(serviceData), onDamaged: ({ cause }) => fail(cause) })
}

function fail(cause: Error): never {
  throw cause
}

/** As many segments as the other tables have rows. */
async function fillRequestLog(kind: StoreKind, serviceData: ServiceData, segments: number): Promise<void> {
  const store = await openListStore(kind, serviceData)
  const requestLog = openRequestLog(kind, store, serviceData)
  // Creates the embedded one.
  if (kind === 'sqlite') await requestLog.append([])
  await requestLog.close()
  await store.close(5000)
  await runTexts(kind, serviceData, { path: requestLogPathOf(dataFolderOf(serviceData)), texts: fillSegments(kind, segments) })
}

/** The store creates the schema; the rows are inserted directly, since a million sealed cards would take too long. */
export async function fillStore(kind: StoreKind, serviceData: ServiceData, rows: number): Promise<void> {
  await (await openListStore(kind, serviceData)).close(5000)
  const durations = Array.from({ length: rows / chunk }, (_, at) => ({ from: at * chunk + 1, count: chunk }))
  const texts = [...durations.flatMap((span) => fillRows(kind, span)), ...analyzeRows]
  const path = join(dataFolderOf(serviceData), SQLITE_FILE)
  await runTexts(kind, serviceData, { path, texts })
}

/** `path`: of the embedded database. */
async function runTexts(
  kind: StoreKind,
  serviceData: ServiceData,
  { path, texts }: { readonly path: string; readonly texts: readonly string[] },
): Promise<void> {
  if (kind === 'sqlite') {
    const db = new DatabaseSync(path)
    db.exec('pragma synchronous = off; pragma cache_size = -262144')
    for (const text of texts) db.exec(text)
    db.close()
    return
  }
  const client = new pg.Client({ connectionString: serviceData.databaseUrl ?? '', connectionTimeoutMillis: 5000, query_timeout: 600_000 })
  await client.connect()
  // As a database is after its nightly vacuum.
  for (const text of [...texts, 'vacuum analyze']) await client.query(text)
  await client.end()
}

const chunk = 10_000
const warmUps = 3
