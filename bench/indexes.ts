import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { median } from '../fault/figures.ts'
import { askDatabase, type Home, type StoreKind } from '../fault/home.ts'
import { dataFolderOf } from '../fault/inspect.ts'
import { makeRandom, type Random } from '../fault/random.ts'
import { SQLITE_FILE } from '../service/src/store/sqlite/sqlite.ts'
import type { Store } from '../service/src/store/store.ts'
import { makeFloorRows, type FloorRows } from './floor-row.ts'
import { fillStore, openStore } from './lists.ts'
import type { Bench, Figure, Measurement } from './measurement.ts'

/** Keeping a card with the indexes of the dashboard's lists, beside the same store without them. */
export const indexes: Measurement = {
  name: 'indexes',
  question: 'What do the indexes of the dashboard’s lists cost whoever keeps a card?',
  async run(bench) {
    const figures: Figure[] = []
    for (const kind of bench.stores) for (const without of leftOut) figures.push(...(await compare(bench, kind, without)))
    return figures
  },
}

interface LeftOut {
  readonly name: string
  readonly indexes: readonly string[]
}

/** The first row against itself: how far two equal stores are apart here. A new card writes no entry of `audit_codes` and `audit_people`. */
const leftOut: readonly LeftOut[] = [
  { name: 'none of them', indexes: [] },
  { name: 'all of them', indexes: ['cards_newest', 'cards_last_four', 'cards_customer', 'audit_codes', 'audit_people'] },
  { name: 'cards_newest', indexes: ['cards_newest'] },
  { name: 'cards_last_four', indexes: ['cards_last_four'] },
]

/** What one card costs, median over the pairs. */
interface Cost {
  readonly wall: number
  readonly cpu: number
}

async function compare({ homes, isQuick, say }: Bench, kind: StoreKind, without: LeftOut): Promise<Figure[]> {
  const [withHome, withoutHome] = [await homes.make(kind), await homes.make(kind)]
  for (const home of [withHome, withoutHome]) await fillStore(kind, home, isQuick ? 20_000 : 100_000)
  for (const index of without.indexes) await dropIndex(withoutHome, index)
  const [withAll, bare] = [await openStore(kind, withHome), await openStore(kind, withoutHome)]
  const cards = { rows: makeFloorRows('65f0c0ffee0000000000cafe'), random: makeRandom(5) }
  try {
    const pairs: { withAll: Cost; bare: Cost }[] = []
    for (let turn = -2; turn < (isQuick ? 6 : 20); turn++) {
      // Whoever comes first finds the machine otherwise than whoever comes after.
      const [first, second] = turn % 2 === 0 ? [withAll, bare] : [bare, withAll]
      const [one, other] = [await keepCards(first, cards), await keepCards(second, cards)]
      if (turn >= 0) pairs.push(turn % 2 === 0 ? { withAll: one, bare: other } : { withAll: other, bare: one })
    }
    say(`indexes ${kind}: ${pairs.length} pairs, left out ${without.name}`)
    return tell(kind, without, pairs)
  } finally {
    await Promise.all([withAll.close(5000), bare.close(5000)])
    await withHome.remove()
    await withoutHome.remove()
  }
}

/** On SQLite the thread that writes is ours, and its time is in `cpu`; PostgreSQL's own is not. */
async function keepCards(store: Store, { rows, random }: { rows: FloorRows; random: Random }): Promise<Cost> {
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  for (let kept = 0; kept < batch * together; kept += together) {
    const asked = Array.from({ length: together }, () => {
      const { card, audit } = rows.next()
      const lastFour = String(random.between(0, 9999)).padStart(4, '0')
      return store.insertCard({ ...card, maskedPan: `860006******${lastFour}` }, audit)
    })
    await Promise.all(asked)
  }
  const wall = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  const cards = batch * together
  return { wall: (wall * 1000) / cards, cpu: (user + system) / cards }
}

function tell(kind: StoreKind, { name }: LeftOut, pairs: readonly { withAll: Cost; bare: Cost }[]): Figure[] {
  const of = `indexes ${kind}`
  const one = (what: keyof Cost, text: string): Figure[] => [
    { of, name: `${text} a card, all indexes`, value: median(pairs.map(({ withAll }) => withAll[what])), unit: 'µs' },
    { of, name: `the same, without ${name}`, value: median(pairs.map(({ bare }) => bare[what])), unit: 'µs' },
    { of, name: `ratio, without ${name}`, value: median(pairs.map(({ withAll, bare }) => withAll[what] / bare[what])), unit: 'times' },
  ]
  return [...(kind === 'sqlite' ? one('cpu', 'CPU') : []), ...one('wall', 'time')]
}

async function dropIndex(home: Home, index: string): Promise<void> {
  if (home.databaseUrl !== null) {
    await askDatabase(home.databaseUrl, `drop index ${index}`)
    return
  }
  const db = new DatabaseSync(join(dataFolderOf(home), SQLITE_FILE))
  db.exec(`drop index ${index}`)
  db.close()
}

const batch = 30
/** As many as 64 connections would ask for at once. */
const together = 64
