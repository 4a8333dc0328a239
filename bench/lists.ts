import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import pg from 'pg'
import { median } from '../fault/statistics.ts'
import type { ServiceData, StoreKind } from '../fault/service-data.ts'
import { dataFolderOf } from '../fault/inspect.ts'
import { openPostgresStore } from '../service/src/store/postgres/postgres.ts'
import { openSqliteStore, SQLITE_FILE } from '../service/src/store/sqlite/sqlite.ts'
import type { Store } from '../service/src/store/store.ts'
import { dashboardListQueries } from '../service/src/store/suite/dashboard-lists.fixture.ts'
import { analyzeRows, fillRows } from '../service/src/store/suite/many-rows.fixture.ts'
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
    say(`lists ${kind}: ${manyRows} rows per table in ${Math.round((performance.now() - startedAt) / 1000)} s`)
    const [few, many] = [await openListStore(kind, fewData), await openListStore(kind, manyData)]
    try {
      return await compare(kind, { few, fewRows, many, manyRows, turns: isQuick ? 15 : 60 })
    } finally {
      await Promise.all([few.close(5000), many.close(5000)])
    }
  } finally {
    await fewData.remove()
    await manyData.remove()
  }
}

interface StorePair {
  readonly few: Store
  readonly fewRows: number
  readonly many: Store
  readonly manyRows: number
  readonly turns: number
}

/** Alternating, so that other load on the machine affects both. The deep page is 1000 pages behind the first, with few rows 200. */
async function compare(kind: StoreKind, { few, fewRows, many, manyRows, turns }: StorePair): Promise<Measure[]> {
  const ofFew = dashboardListQueries(fewRows, 5000)
  const ofMany = dashboardListQueries(manyRows, 25_000)
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
    measures.push({ of, name: question.name, value: manyMs, unit: 'ms', target: { most: question.rowsMax > 1000 ? 100 : 10 } })
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

/** The store creates the schema; the rows are inserted directly, since a million sealed cards would take too long. */
export async function fillStore(kind: StoreKind, serviceData: ServiceData, rows: number): Promise<void> {
  await (await openListStore(kind, serviceData)).close(5000)
  const durations = Array.from({ length: rows / chunk }, (_, at) => ({ from: at * chunk + 1, count: chunk }))
  const texts = [...durations.flatMap((span) => fillRows(kind, span)), ...analyzeRows]
  if (kind === 'sqlite') {
    const db = new DatabaseSync(join(dataFolderOf(serviceData), SQLITE_FILE))
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
