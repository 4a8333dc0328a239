import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import pg from 'pg'
import { median } from '../fault/figures.ts'
import type { Home, StoreKind } from '../fault/home.ts'
import { dataFolderOf } from '../fault/inspect.ts'
import { openPostgresStore } from '../service/src/store/postgres/postgres.ts'
import { openSqliteStore, SQLITE_FILE } from '../service/src/store/sqlite/sqlite.ts'
import type { Store } from '../service/src/store/store.ts'
import { listQuestions } from '../service/src/store/suite/dashboard-lists.fixture.ts'
import { analyzeRows, fillRows } from '../service/src/store/suite/many-rows.fixture.ts'
import type { Bench, Figure, Measurement } from './measurement.ts'

/** The lists of the dashboard over a million rows a table, beside the same over ten thousand. */
export const lists: Measurement = {
  name: 'lists',
  question: 'Does a page of a list of the dashboard over a million rows take longer than over ten thousand?',
  async run(bench) {
    const figures: Figure[] = []
    for (const kind of bench.stores) figures.push(...(await measure(bench, kind)))
    return figures
  },
}

async function measure({ homes, isQuick, say }: Bench, kind: StoreKind): Promise<Figure[]> {
  const [fewRows, manyRows] = [10_000, isQuick ? 100_000 : 1_000_000]
  const [fewHome, manyHome] = [await homes.make(kind), await homes.make(kind)]
  try {
    await fillStore(kind, fewHome, fewRows)
    const startedAt = performance.now()
    await fillStore(kind, manyHome, manyRows)
    say(`lists ${kind}: ${manyRows} rows a table in ${Math.round((performance.now() - startedAt) / 1000)} s`)
    const [few, many] = [await openStore(kind, fewHome), await openStore(kind, manyHome)]
    try {
      return await compare(kind, { few, fewRows, many, manyRows, turns: isQuick ? 15 : 60 })
    } finally {
      await Promise.all([few.close(5000), many.close(5000)])
    }
  } finally {
    await fewHome.remove()
    await manyHome.remove()
  }
}

interface Two {
  readonly few: Store
  readonly fewRows: number
  readonly many: Store
  readonly manyRows: number
  readonly turns: number
}

/** In turns, so that whatever else the machine does befalls both. The deep page lies 1000 pages behind the head, of few rows 200. */
async function compare(kind: StoreKind, { few, fewRows, many, manyRows, turns }: Two): Promise<Figure[]> {
  const ofFew = listQuestions(fewRows, 5000)
  const ofMany = listQuestions(manyRows, 25_000)
  const figures: Figure[] = []
  for (const [at, question] of ofMany.entries()) {
    const twin = ofFew[at]
    if (twin === undefined) continue
    const spans: { few: number; many: number }[] = []
    for (let turn = 0; turn < turns + warmUps; turn++) {
      const span = { few: await time(() => twin.ask(few)), many: await time(() => question.ask(many)) }
      if (turn >= warmUps) spans.push(span)
    }
    const [fewMs, manyMs] = [median(spans.map((span) => span.few)), median(spans.map((span) => span.many))]
    const of = `lists ${kind}`
    figures.push({ of, name: question.name, value: manyMs, unit: 'ms', aim: { most: question.rowsMax > 1000 ? 100 : 10 } })
    figures.push({ of, name: question.name, value: manyMs / fewMs, unit: 'times as long', aim: { most: 3 } })
  }
  return figures
}

async function time(ask: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await ask()
  return performance.now() - startedAt
}

export function openStore(kind: StoreKind, home: Home): Promise<Store> {
  return kind === 'sqlite'
    ? openSqliteStore({ folder: dataFolderOf(home) })
    : openPostgresStore({ url: home.databaseUrl ?? '', allowUnsafe: true })
}

/** The schema is made by the store, the rows by statements past it: nobody could wait for a million sealed cards. */
export async function fillStore(kind: StoreKind, home: Home, rows: number): Promise<void> {
  await (await openStore(kind, home)).close(5000)
  const spans = Array.from({ length: rows / chunk }, (_, at) => ({ from: at * chunk + 1, count: chunk }))
  const texts = [...spans.flatMap((span) => fillRows(kind, span)), ...analyzeRows]
  if (kind === 'sqlite') {
    const db = new DatabaseSync(join(dataFolderOf(home), SQLITE_FILE))
    db.exec('pragma synchronous = off; pragma cache_size = -262144')
    for (const text of texts) db.exec(text)
    db.close()
    return
  }
  const client = new pg.Client({ connectionString: home.databaseUrl ?? '', connectionTimeoutMillis: 5000, query_timeout: 600_000 })
  await client.connect()
  // As a database is after a night: what was inserted has been looked over once.
  for (const text of [...texts, 'vacuum analyze']) await client.query(text)
  await client.end()
}

const chunk = 10_000
const warmUps = 3
