import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { plantedFaults } from './planted-faults.ts'
import { makeCallTimes, type CallTimes } from './call-times.ts'
import { largest } from './statistics.ts'
import { createServiceData, createServiceDataFactory, type ServiceData, type StoreKind } from './service-data.ts'
import { findAllLost, findLost, longLifetimes, reopen } from './inspect.ts'
import { makeLedger, type Ledger } from './ledger.ts'
import { runLoad, waitForNewCard, type Refusals } from './load.ts'
import { mountTmpfs, type Disk } from './mount.ts'
import { makeRandom, type Random } from './random.ts'
import { startService, type RunningService } from './spawn.ts'
import { outcomeMetrics } from './unknown-outcomes.ts'
import { startCluster } from '../tools/postgres.ts'

/** The disk under the store is full. */
export const diskFull: Experiment = {
  name: 'disk-full',
  question: 'On a full disk, are writes refused with a clear error, do reads continue, and do writes recover when there is room?',
  stores: ['sqlite', 'postgres'],
  cycles: 3,
  needs: ['root'],
  async run(trial) {
    const found = await fillOften(trial, trial.cycles)
    const wrong = await fillOften(trial, 1, [plantedFaults.acknowledgeEarly])
    const seen = `${wrong.lost} of ${wrong.acknowledged} lost`
    return { ...found, control: { what: 'acknowledging 20 ms before COMMIT', isFound: wrong.lost > 0, details: seen } }
  },
}

async function fillOften(
  { store, cycles, seed, say }: Trial,
  fills: number,
  imports: readonly URL[] = [],
): Promise<Omit<ExperimentResult, 'control'>> {
  const disk = mountTmpfs(diskMegabytes[store])
  const place = await createStoreLocation(store, disk)
  const hand: LoadContext = {
    disk,
    random: makeRandom(seed),
    ledger: makeLedger(),
    times: makeCallTimes(),
    seen: { recoveryMs: [], refused: 0, complaints: [], lost: [] },
  }
  const { ledger, times, seen } = hand
  try {
    const running = await startService({ flags: [...place.serviceData.flags, ...longLifetimes], imports })
    for (let fill = 0; fill < fills; fill++) {
      await fillOnce(running, store, hand)
      say(`${fill + 1} of ${cycles} times full, ${seen.refused} writes refused, ${seen.lost.length} lost`)
    }
    await running.kill()
    const { lost, complaints } = await reopen(place.serviceData, ledger)
    seen.lost.push(...lost)
    seen.complaints.push(...complaints)
  } finally {
    await place.close()
    disk.remove()
  }
  const lost = new Set(seen.lost)
  return {
    acknowledged: ledger.countAcknowledged(),
    lost: lost.size,
    cycles: fills,
    complaints: [...seen.complaints, ...lost],
    metrics: {
      writes_refused: seen.refused,
      writes_again_ms_most: Math.round(largest(seen.recoveryMs)),
      ...times.metrics(),
      ...outcomeMetrics([ledger]),
    },
  }
}

interface LoadContext {
  readonly disk: Disk
  readonly random: Random
  readonly ledger: Ledger
  readonly times: CallTimes
  readonly seen: { readonly recoveryMs: number[]; refused: number; readonly complaints: string[]; readonly lost: string[] }
}

async function fillOnce(running: RunningService, store: StoreKind, { disk, random, ledger, times, seen }: LoadContext): Promise<void> {
  const onReply = (_: unknown, ms: number): void => times.add(ms)
  const send = (ms: number): Promise<Refusals> =>
    runLoad({ ...running, connections: 8, ledger, random, until: AbortSignal.timeout(ms), maxPauseMs: 2, onReply })
  const first = await send(loadMs)
  complain(first, [], seen.complaints)
  times.faultBegins()
  disk.fill(bytesLeft[store])
  const meanwhile = await send(fullMs)
  // A call of several writes, of which the first still found room, must not say that nothing was done.
  complain(meanwhile, ['store_full', 'outcome_unknown'], seen.complaints)
  const refused = meanwhile.get('store_full') ?? 0
  seen.refused += refused
  if (refused === 0) seen.complaints.push('no write was refused with store_full')
  const { state } = (await (await fetch(`${running.adminUrl}/readyz`)).json()) as { state: string }
  // A row may still fit into a page that exists.
  if (state !== 'store_not_writable' && state !== 'degraded') seen.complaints.push(`/readyz said ${state} on the full disk`)
  // Reads continue, and what was acknowledged on the last bytes is stored.
  seen.lost.push(...(await findLost(running, ledger.cards)))
  disk.free()
  times.faultEnds()
  seen.recoveryMs.push(await waitForNewCard(running, ledger, maxRecoveryMs))
  complain(await send(loadMs), [], seen.complaints)
  seen.lost.push(...(await findAllLost(running, ledger)))
}

function complain(refusals: Refusals, expected: readonly string[], complaints: string[]): void {
  for (const [reason, times] of refusals) if (!expected.includes(reason)) complaints.push(`refused with ${reason} (${times} times)`)
}

interface StoreLocation {
  readonly serviceData: ServiceData
  close(): Promise<void>
}

/** SQLite's file is on the small disk itself; for PostgreSQL the whole cluster is. */
async function createStoreLocation(store: StoreKind, disk: Disk): Promise<StoreLocation> {
  if (store === 'sqlite') return { serviceData: createServiceData(disk.folder, null), close: async () => undefined }
  const cluster = await inFolder(disk.folder, () => startCluster({ settings: { max_wal_size: '64MB', wal_recycle: 'on' } }))
  const dataFactory = createServiceDataFactory(cluster.url)
  const serviceData = await dataFactory.create('postgres')
  const close = async (): Promise<void> => {
    await serviceData.remove()
    await cluster.stop()
  }
  return { serviceData, close }
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
const maxRecoveryMs = 10_000
