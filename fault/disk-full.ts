import type { Experiment, Finding, Trial } from './experiment.ts'
import { largest } from './figures.ts'
import { makeHome, makeHomes, type Home, type StoreKind } from './home.ts'
import { findAllLost, findLost, lives, reopen } from './inspect.ts'
import { makeLedger, type Ledger } from './ledger.ts'
import { runLoad, untilCardMade, type Refusals } from './load.ts'
import { mountTmpfs, type Disk } from './mount.ts'
import { makeRandom, type Random } from './random.ts'
import { startTessera, type Running } from './spawn.ts'
import { startCluster } from '../tools/postgres.ts'

/** There is no room left where the store writes. */
export const diskFull: Experiment = {
  name: 'disk-full',
  question:
    'On a full disk, are writes refused and said to be, do reads go on, and are writes taken again by themselves when there is room?',
  stores: ['sqlite', 'postgres'],
  cycles: 3,
  needs: ['root'],
  async run(trial) {
    const found = await fillOften(trial, trial.cycles)
    const wrong = await fillOften(trial, 1, [new URL('./doubles/acknowledge-early.ts', import.meta.url)])
    const seen = `${wrong.lost} of ${wrong.acknowledged} lost`
    return { ...found, control: { what: 'acknowledging 20 ms before COMMIT', isFound: wrong.lost > 0, seen } }
  },
}

async function fillOften(
  { store, cycles, seed, say }: Trial,
  fills: number,
  imports: readonly URL[] = [],
): Promise<Omit<Finding, 'control'>> {
  const disk = mountTmpfs(diskMegabytes[store])
  const place = await makePlace(store, disk)
  const hand: Hand = {
    disk,
    random: makeRandom(seed),
    ledger: makeLedger(),
    seen: { recoveryMs: [], refused: 0, complaints: [], lost: [] },
  }
  const { ledger, seen } = hand
  try {
    const running = await startTessera({ flags: [...place.home.flags, ...lives], imports })
    for (let fill = 0; fill < fills; fill++) {
      await fillOnce(running, store, hand)
      say(`${fill + 1} of ${cycles} times full, ${seen.refused} writes refused, ${seen.lost.length} lost`)
    }
    await running.kill()
    const { lost, complaints } = await reopen(place.home, ledger)
    seen.lost.push(...lost)
    seen.complaints.push(...complaints)
  } finally {
    await place.close()
    disk.remove()
  }
  const lost = new Set(seen.lost)
  return {
    ...{ acknowledged: ledger.countAcknowledged(), lost: lost.size, cycles: fills, complaints: [...seen.complaints, ...lost] },
    figures: { writes_refused: seen.refused, writes_again_ms_most: Math.round(largest(seen.recoveryMs)) },
  }
}

interface Hand {
  readonly disk: Disk
  readonly random: Random
  readonly ledger: Ledger
  readonly seen: { readonly recoveryMs: number[]; refused: number; readonly complaints: string[]; readonly lost: string[] }
}

async function fillOnce(running: Running, store: StoreKind, { disk, random, ledger, seen }: Hand): Promise<void> {
  const send = (ms: number): Promise<Refusals> =>
    runLoad({ ...running, connections: 8, ledger, random, until: AbortSignal.timeout(ms), pauseMsMax: 2 })
  const first = await send(loadMs)
  complain(first, [], seen.complaints)
  disk.fill(bytesLeft[store])
  const meanwhile = await send(fullMs)
  complain(meanwhile, ['store_full'], seen.complaints)
  const refused = meanwhile.get('store_full') ?? 0
  seen.refused += refused
  if (refused === 0) seen.complaints.push('no write was refused with store_full')
  // Reads go on, and what was acknowledged on the last bytes is there.
  seen.lost.push(...(await findLost(running, ledger.fates)))
  disk.free()
  seen.recoveryMs.push(await untilCardMade(running, wellMsMax))
  seen.lost.push(...(await findAllLost(running, ledger)))
}

function complain(refusals: Refusals, expected: readonly string[], complaints: string[]): void {
  for (const [reason, times] of refusals) if (!expected.includes(reason)) complaints.push(`refused with ${reason} (${times} times)`)
}

interface Place {
  readonly home: Home
  close(): Promise<void>
}

/** SQLite lies on the small disk itself; for PostgreSQL its whole cluster does. */
async function makePlace(store: StoreKind, disk: Disk): Promise<Place> {
  if (store === 'sqlite') return { home: makeHome(disk.folder, null), close: async () => undefined }
  const cluster = await inFolder(disk.folder, () => startCluster({ settings: { max_wal_size: '64MB', wal_recycle: 'on' } }))
  const homes = makeHomes(cluster.url)
  const home = await homes.make('postgres')
  const close = async (): Promise<void> => {
    await home.remove()
    await cluster.stop()
  }
  return { home, close }
}

/** Temporary folders that are made meanwhile are made there. */
async function inFolder<T>(folder: string, make: () => Promise<T>): Promise<T> {
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  try {
    return await make()
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
}

/** Of PostgreSQL: the cluster itself takes some 40, and the log of changes up to 64. */
const diskMegabytes: Readonly<Record<StoreKind, number>> = { sqlite: 48, postgres: 256 }
const bytesLeft: Readonly<Record<StoreKind, number>> = { sqlite: 200_000, postgres: 200_000 }
const loadMs = 400
const fullMs = 2500
const wellMsMax = 10_000
