import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startCluster, type Cluster } from '../tools/postgres.ts'
import type { ExperimentResult, Trial } from './experiment.ts'
import { factsFor, flagsOf, flipBits, judgeStore, writeFacts, type FlipJudgement } from './flipped-store.ts'
import { dataFolderOf } from './inspect.ts'
import { makeLedger, type Ledger } from './ledger.ts'
import { plantedFaults } from './planted-faults.ts'
import { makeRandom } from './random.ts'
import { createServiceData, makeFolder, queryDatabase, type ServiceData } from './service-data.ts'
import { startService } from './spawn.ts'

/** A cluster with a service's data, which is put back before each fault. */
interface FlippedCluster {
  readonly cluster: Cluster
  readonly serviceData: ServiceData
  readonly ledger: Ledger
  /** A copy of the data folder of the stopped cluster. */
  readonly copy: string
  /** The files of tables and indexes, relative to the data folder. */
  readonly files: readonly string[]
  /** Those of the table of cards and its indexes, of which a start reads a few rows only. */
  readonly cardFiles: readonly string[]
}

/**
 * Flips bits in the files of the tables and indexes of a stopped cluster: with data checksums, and without them with the extension amcheck. Without
 * checksums PostgreSQL believes a flipped bit that hides a row, so that is measured, and judged with checksums only. `cycles`: a fifth of it for each.
 */
export async function flipPostgres(trial: Trial): Promise<ExperimentResult> {
  const seeds = Math.max(1, Math.ceil(trial.cycles / 5))
  const complaints: string[] = []
  const withChecksums = await flipOften(trial, { hasChecksums: true, seeds })
  const without = await flipOften(trial, { hasChecksums: false, seeds })
  for (const { seed, judged } of withChecksums.judged) {
    if (judged.reportedBy !== null) continue
    for (const what of judged.lost) complaints.push(`seed ${seed}: nothing was reported, and ${what}`)
    if (judged.entries < withChecksums.entries)
      complaints.push(`seed ${seed}: nothing was reported, and ${judged.entries} entries were walked`)
  }
  for (const { seed, judged } of withChecksums.judged)
    if (judged.reportedBy === serverAway) complaints.push(`seed ${seed}: the start does not say that files are damaged`)
  for (const { seed, judged } of [...withChecksums.judged, ...without.judged])
    if (judged.misreported !== null)
      complaints.push(`seed ${seed}: ${judged.reportedBy ?? ''} calls the damage an internal error: ${judged.misreported}`)
  const count = ({ judged }: FlippedSeeds, by: (one: FlipJudgement) => boolean): number => judged.filter((one) => by(one.judged)).length
  const isHarm = ({ reportedBy, lost }: FlipJudgement): boolean => reportedBy === null && lost.length > 0
  if (count(without, ({ reportedBy }) => reportedBy !== null) === 0) complaints.push('without checksums nothing at all was reported')
  const { silent } = without
  return {
    acknowledged: withChecksums.acknowledged + without.acknowledged,
    lost: count(withChecksums, isHarm),
    cycles: seeds * 2,
    complaints,
    control: {
      what: 'a check of the store that finds nothing',
      isFound: silent !== null,
      details: silent ?? 'none of the seeds did harm',
    },
    metrics: {
      reported_with_checksums: count(withChecksums, ({ reportedBy }) => reportedBy !== null),
      reported_with_amcheck: count(without, ({ reportedBy }) => reportedBy !== null),
      harm_unreported_with_amcheck: count(without, isHarm),
    },
  }
}

interface FlippedSeeds {
  readonly judged: readonly { readonly seed: number; readonly judged: FlipJudgement }[]
  readonly entries: number
  readonly acknowledged: number
  /** What a service without findings did wrong on the same bits; null when it did nothing wrong. Looked at without checksums only. */
  readonly silent: string | null
}

async function flipOften(trial: Trial, options: { readonly hasChecksums: boolean; readonly seeds: number }): Promise<FlippedSeeds> {
  const folder = makeFolder()
  // Without hint bits that are written later, and without a vacuum, nothing but the fault changes the files.
  const cluster = await startCluster({ hasChecksums: options.hasChecksums, settings: { autovacuum: 'off' } })
  try {
    const flipped = await makeBase(trial, { cluster, folder, hasAmcheck: !options.hasChecksums })
    const untouched = await judge(flipped, null)
    if (untouched.reportedBy !== null) throw new Error(`nothing was flipped, and ${untouched.reportedBy} reports something`)
    const judged: { seed: number; judged: FlipJudgement }[] = []
    let silent: string | null = null
    for (let seed = trial.seed; seed < trial.seed + options.seeds; seed++) {
      const one = await judge(flipped, seed)
      judged.push({ seed, judged: one })
      trial.say(
        `${options.hasChecksums ? 'checksums' : 'amcheck'}, seed ${seed}: ${one.reportedBy ?? `nobody, ${one.lost.length} facts lost`}`,
      )
    }
    for (let seed = trial.seed; !options.hasChecksums && silent === null && seed < trial.seed + maxControls; seed++) {
      const inCards = { ...flipped, files: flipped.cardFiles }
      const { lost } = await judge(inCards, seed, [plantedFaults.noFindings])
      if (lost.length > 0) silent = `seed ${seed}: nothing was reported, and ${lost.length} facts are lost: ${lost[0] ?? ''}`
    }
    return { judged, entries: untouched.entries, acknowledged: flipped.ledger.countAcknowledged(), silent }
  } finally {
    await cluster.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function makeBase(
  { seed, cycles }: Trial,
  { cluster, folder, hasAmcheck }: { readonly cluster: Cluster; readonly folder: string; readonly hasAmcheck: boolean },
): Promise<FlippedCluster> {
  if (hasAmcheck) await queryDatabase(cluster.url, 'create extension amcheck')
  const serviceData = createServiceData(folder, cluster.url)
  const ledger = makeLedger()
  const running = await startService({ flags: flagsOf(serviceData) })
  await writeFacts(running, { ledger, random: makeRandom(seed), count: factsFor(cycles) })
  await running.stop()
  const paths = await queryDatabase(cluster.url, selectFiles)
  await cluster.halt()
  const copy = join(cluster.folder, 'copy')
  copyFolder(join(cluster.folder, 'data'), copy)
  copyFolder(dataFolderOf(serviceData), serviceCopyOf(serviceData))
  const files = paths.map(({ path }) => String(path))
  const cardFiles = paths.filter(({ table }) => table === 'cards').map(({ path }) => String(path))
  return { cluster, serviceData, ledger, copy, files, cardFiles }
}

/** Puts the data back, flips bits by the seed, and judges. A cluster that does not start has reported it. */
async function judge({ cluster, serviceData, ledger, copy, files }: FlippedCluster, seed: number | null, imports: readonly URL[] = []) {
  const data = join(cluster.folder, 'data')
  await cluster.halt()
  rmSync(data, { recursive: true })
  copyFolder(copy, data)
  // It has what the service recorded of the audit in the trial before.
  rmSync(dataFolderOf(serviceData), { recursive: true })
  copyFolder(serviceCopyOf(serviceData), dataFolderOf(serviceData))
  const present = files.map((path) => join(data, path)).filter((path) => existsSync(path))
  if (seed !== null) flipBits(present, { random: makeRandom(seed), count: flips })
  await cluster.start()
  return judgeStore(serviceData, ledger, imports)
}

function serviceCopyOf({ folder }: ServiceData): string {
  return join(folder, 'copy')
}

/** With owners and modes, since PostgreSQL runs as another user. */
function copyFolder(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`cp ended with ${String(status)}: ${stderr}`)
}

const selectFiles = `
  select pg_relation_filepath(c.oid) as path, coalesce(i.indrelid, c.oid)::regclass::text as table
  from pg_class c left join pg_index i on i.indexrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i') and pg_relation_size(c.oid) > 0 order by 1`
const flips = 20
/** As if the server were away. */
const serverAway = 'start (exit 69)'
const maxControls = 20
