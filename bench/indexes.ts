import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { median } from '../fault/statistics.ts'
import { queryDatabase, type ServiceData, type StoreKind } from '../fault/service-data.ts'
import { dataFolderOf } from '../fault/inspect.ts'
import { makeRandom, type Random } from '../fault/random.ts'
import { SQLITE_FILE } from '../service/src/store/sqlite/sqlite.ts'
import { insertCard } from '../service/src/store/cards.ts'
import type { Store } from '../service/src/store/store.ts'
import { makeFloorRows, type FloorRows } from './floor-row.ts'
import { fillStore, openListStore } from './lists.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'

/** Inserting a card with the indexes of the dashboard's lists, compared with the same store without them. */
export const indexes: Measurement = {
  name: 'indexes',
  question: 'What do the indexes of the dashboard’s lists cost when a card is inserted?',
  async run(bench) {
    const measures: Measure[] = []
    for (const kind of bench.stores) for (const without of droppedIndexes) measures.push(...(await compare(bench, kind, without)))
    return measures
  },
}

interface IndexComparison {
  readonly name: string
  readonly indexes: readonly string[]
}

/** The first row drops nothing: it shows the difference between two equal stores. A new card writes no entry of `audit_codes` and `audit_people`. */
const droppedIndexes: readonly IndexComparison[] = [
  { name: 'none of them', indexes: [] },
  { name: 'all of them', indexes: ['cards_newest', 'cards_last_four', 'cards_customer', 'audit_codes', 'audit_people'] },
  { name: 'cards_newest', indexes: ['cards_newest'] },
  { name: 'cards_last_four', indexes: ['cards_last_four'] },
]

/** The cost of one card. */
interface Cost {
  readonly wall: number
  readonly cpu: number
}

async function compare({ dataFactory, isQuick, say }: Bench, kind: StoreKind, without: IndexComparison): Promise<Measure[]> {
  const [withData, withoutData] = [await dataFactory.create(kind), await dataFactory.create(kind)]
  for (const serviceData of [withData, withoutData]) await fillStore(kind, serviceData, isQuick ? 20_000 : 100_000)
  for (const index of without.indexes) await dropIndex(withoutData, index)
  const [withAll, bare] = [await openListStore(kind, withData), await openListStore(kind, withoutData)]
  const cards = { rows: makeFloorRows('65f0c0ffee0000000000cafe'), random: makeRandom(5) }
  try {
    const pairs: { withAll: Cost; bare: Cost }[] = []
    for (let turn = -2; turn < (isQuick ? 6 : 20); turn++) {
      // Alternates which store is first, since the machine may differ between the first and the second.
      const [first, second] = turn % 2 === 0 ? [withAll, bare] : [bare, withAll]
      const [one, other] = [await insertCards(first, cards), await insertCards(second, cards)]
      if (turn >= 0) pairs.push(turn % 2 === 0 ? { withAll: one, bare: other } : { withAll: other, bare: one })
    }
    say(`indexes ${kind}: ${pairs.length} pairs, without ${without.name}`)
    return toMeasures(kind, without, pairs)
  } finally {
    await Promise.all([withAll.close(5000), bare.close(5000)])
    await withData.remove()
    await withoutData.remove()
  }
}

/** On SQLite the writing thread belongs to this process, and its time is in `cpu`; PostgreSQL's own time is not. */
async function insertCards(store: Store, { rows, random }: { rows: FloorRows; random: Random }): Promise<Cost> {
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  for (let inserted = 0; inserted < batch * together; inserted += together) {
    const writes = Array.from({ length: together }, () => {
      const { card, audit } = rows.next()
      const lastFour = String(random.between(0, 9999)).padStart(4, '0')
      return store.write(insertCard, { card: { ...card, maskedPan: `860006******${lastFour}` }, audit })
    })
    await Promise.all(writes)
  }
  const wall = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  const cards = batch * together
  return { wall: (wall * 1000) / cards, cpu: (user + system) / cards }
}

function toMeasures(kind: StoreKind, { name }: IndexComparison, pairs: readonly { withAll: Cost; bare: Cost }[]): Measure[] {
  const of = `indexes ${kind}`
  const one = (what: keyof Cost, text: string): Measure[] => [
    { of, name: `${text} per card, all indexes`, value: median(pairs.map(({ withAll }) => withAll[what])), unit: 'µs' },
    { of, name: `the same, without ${name}`, value: median(pairs.map(({ bare }) => bare[what])), unit: 'µs' },
    { of, name: `ratio, without ${name}`, value: median(pairs.map(({ withAll, bare }) => withAll[what] / bare[what])), unit: 'times' },
  ]
  return [...(kind === 'sqlite' ? one('cpu', 'CPU') : []), ...one('wall', 'time')]
}

async function dropIndex(serviceData: ServiceData, index: string): Promise<void> {
  if (serviceData.databaseUrl !== null) {
    await queryDatabase(serviceData.databaseUrl, `drop index ${index}`)
    return
  }
  const db = new DatabaseSync(join(dataFolderOf(serviceData), SQLITE_FILE))
  db.exec(`drop index ${index}`)
  db.close()
}

const batch = 30
/** As many as 64 connections would write at once. */
const together = 64
