import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { median } from '../fault/figures.ts'
import { askDatabase, type Home, type StoreKind } from '../fault/home.ts'
import { startTessera } from '../fault/spawn.ts'
import { SQLITE_FILE } from '../service/src/store/sqlite/sqlite.ts'
import { measureSpeed, type Speed } from './compare.ts'
import { startLoadGenerator } from './load.ts'
import type { Bench, Figure, Measurement } from './measurement.ts'

/** cards.create with the indexes of the dashboard's lists, beside the same service without them. */
export const indexes: Measurement = {
  name: 'indexes',
  question: 'What do the indexes of the dashboard’s lists cost cards.create?',
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

/** The first row against itself: how far two equal services are apart here. A create writes no entry of `audit_codes` and `audit_people`. */
const leftOut: readonly LeftOut[] = [
  { name: 'none of them, the same twice', indexes: [] },
  { name: 'all of them', indexes: ['cards_newest', 'cards_last_four', 'cards_customer', 'audit_codes', 'audit_people'] },
  { name: 'cards_newest', indexes: ['cards_newest'] },
  { name: 'cards_last_four', indexes: ['cards_last_four'] },
]

async function compare({ homes, isQuick, say }: Bench, kind: StoreKind, without: LeftOut): Promise<Figure[]> {
  const [withHome, withoutHome] = [await homes.make(kind), await homes.make(kind)]
  await (await startTessera({ flags: withoutHome.flags })).stop()
  for (const index of without.indexes) await dropIndex(withoutHome, index)
  const [withAll, bare] = [await startTessera({ flags: withHome.flags }), await startTessera({ flags: withoutHome.flags })]
  const load = startLoadGenerator()
  try {
    const round = { method: 'create', connections: 64, roundMs: isQuick ? 800 : 2000 } as const
    const pairs: { withAll: Speed; bare: Speed }[] = []
    for (const running of [withAll, bare]) await measureSpeed(running, load, round)
    for (let turn = 0; turn < (isQuick ? 6 : 12); turn++) {
      // Whoever comes first finds the machine otherwise than whoever comes after.
      const [first, second] = turn % 2 === 0 ? [withAll, bare] : [bare, withAll]
      const [one, other] = [await measureSpeed(first, load, round), await measureSpeed(second, load, round)]
      pairs.push(turn % 2 === 0 ? { withAll: one, bare: other } : { withAll: other, bare: one })
    }
    say(`indexes ${kind}: ${pairs.length} pairs, left out ${without.name}`)
    const ratio = (figure: 'requestsASecond' | 'cpuMicroseconds'): number =>
      median(pairs.map((pair) => pair.withAll[figure] / pair.bare[figure]))
    const of = `indexes ${kind}`
    return [
      { of, name: `requests, beside a service without: ${without.name}`, value: ratio('requestsASecond'), unit: 'times' },
      { of, name: `CPU a request, the same`, value: ratio('cpuMicroseconds'), unit: 'times' },
    ]
  } finally {
    await load.end()
    await Promise.all([withAll.stop(), bare.stop()])
    await withHome.remove()
    await withoutHome.remove()
  }
}

async function dropIndex({ folder, databaseUrl }: Home, index: string): Promise<void> {
  if (databaseUrl !== null) {
    await askDatabase(databaseUrl, `drop index ${index}`)
    return
  }
  const db = new DatabaseSync(join(folder, 'data', SQLITE_FILE))
  db.exec(`drop index ${index}`)
  db.close()
}
