import { chmodSync, copyFileSync, cpSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findDatabaseFiles } from '../service/src/store/sqlite/file-identity.ts'
import { flipPostgres } from './bit-flips-postgres.ts'
import type { Control, Experiment, ExperimentResult, Trial } from './experiment.ts'
import { factsFor, flagsOf, flipBits, judgeStore, writeFacts, type FlipJudgement } from './flipped-store.ts'
import { dataFolderOf } from './inspect.ts'
import { makeLedger, type Ledger } from './ledger.ts'
import { plantedFaults } from './planted-faults.ts'
import { makeRandom } from './random.ts'
import type { ServiceData } from './service-data.ts'
import { startService } from './spawn.ts'

/** Bits of the stored files change while the service is stopped, as on a disk that rots. */
export const bitFlips: Experiment = {
  name: 'bit-flips',
  question: 'Are 20 flipped bits in the files of the database, an older database and a cut log reported, or else harmless?',
  stores: ['sqlite', 'postgres'],
  cycles: 100,
  needs: [],
  run: (trial) => (trial.store === 'sqlite' ? flipSqlite(trial) : flipPostgres(trial)),
}

/** `cycles`: how many seeds, each with its own 20 bits: in turns in the database and the log of a killed service, and in the database of a stopped one. */
async function flipSqlite(trial: Trial): Promise<ExperimentResult> {
  const serviceData = await trial.dataFactory.create('sqlite')
  const complaints: string[] = []
  const reported = new Map<string, number>()
  let lost = 0
  try {
    const bases = await makeBases(trial, serviceData)
    const { killed, stopped } = bases
    for (const base of [killed, stopped]) {
      const { entries, reportedBy } = await judge(base, () => undefined)
      if (reportedBy !== null) throw new Error(`nothing was flipped, and it was reported: ${reportedBy}`)
      base.entries = entries
    }
    for (let cycle = 0; cycle < trial.cycles; cycle++) {
      const base = cycle % 2 === 0 ? killed : stopped
      const seed = trial.seed + cycle
      const judged = await judge(base, () => flipDatabase(base, seed))
      const by = judged.reportedBy ?? 'nobody: harmless'
      reported.set(by, (reported.get(by) ?? 0) + 1)
      lost += judged.lost.length
      complaints.push(...describeHarm(judged, base).map((what) => `seed ${seed}: ${what}`))
      if ((cycle + 1) % 10 === 0) trial.say(`${cycle + 1} of ${trial.cycles} seeds: ${describe(reported)}`)
    }
    complaints.push(...(await putBackOlder(killed, bases.older)), ...(await cutLog(killed)))
    return {
      acknowledged: killed.ledger.countAcknowledged(),
      lost,
      cycles: trial.cycles,
      complaints,
      control: await flipUnreported(stopped, trial.seed),
      table: [['reported by', 'seeds'], ...[...reported].map(([by, count]) => [by, String(count)])],
      metrics: { walked_entries: stopped.entries, ...bases.sizes },
    }
  } finally {
    await serviceData.remove()
  }
}

interface Base {
  readonly serviceData: ServiceData
  readonly ledger: Ledger
  /** A copy of the data folder. */
  readonly folder: string
  /** Audit entries that are walked when nothing is flipped. */
  entries: number
}

interface Bases {
  /** With a write-ahead log. */
  readonly killed: Base
  readonly stopped: Base
  /** The file of the database at a stop before half of the facts. */
  readonly older: string
  readonly sizes: Readonly<Record<string, number>>
}

/** A database with facts in it: half of them in the log of a service that was killed, then all of them in the database of one that was stopped. */
async function makeBases({ seed, cycles, say }: Trial, serviceData: ServiceData): Promise<Bases> {
  const [ledger, random] = [makeLedger(), makeRandom(seed)]
  const data = dataFolderOf(serviceData)
  const copyTo = (name: string): Base => {
    const folder = join(serviceData.folder, name)
    cpSync(data, folder, { recursive: true, filter: (path) => !path.endsWith('control.sock') })
    return { serviceData, ledger, folder, entries: 0 }
  }
  const first = await startService({ flags: flagsOf(serviceData) })
  await writeFacts(first, { ledger, random, count: factsFor(cycles) })
  await first.stop()
  const older = join(serviceData.folder, 'older.db')
  copyFileSync(databaseOf(serviceData), older)
  const second = await startService({ flags: flagsOf(serviceData) })
  await writeFacts(second, { ledger, random, count: factsFor(cycles) })
  await pause(recordedMs)
  await second.kill()
  const killed = copyTo('killed')
  const log = kilobytes(logOf(serviceData))
  await (await startService({ flags: flagsOf(serviceData) })).stop()
  const stopped = copyTo('stopped')
  say(`${ledger.countAcknowledged()} facts written`)
  return { killed, stopped, older, sizes: { database_kb: kilobytes(databaseOf(serviceData)), log_kb: log } }
}

/** Puts a base in place, changes it, and notes its files as those that the service left: a disk that rots changes no time of a file. */
async function judge({ serviceData, folder, ledger }: Base, change: () => void, imports: readonly URL[] = []): Promise<FlipJudgement> {
  const data = dataFolderOf(serviceData)
  rmSync(data, { recursive: true })
  cpSync(folder, data, { recursive: true })
  chmodSync(data, 0o700)
  change()
  const marker = join(data, 'store.json')
  const files = { state: existsSync(logOf(serviceData)) ? 'open' : 'closed', ...findDatabaseFiles(data) }
  writeFileSync(marker, JSON.stringify({ ...(JSON.parse(readFileSync(marker, 'utf8')) as object), files }))
  return judgeStore(serviceData, ledger, imports)
}

function flipDatabase({ serviceData }: Base, seed: number): void {
  const files = [databaseOf(serviceData), logOf(serviceData)].filter((path) => existsSync(path))
  flipBits(files, { random: makeRandom(seed), count: flips })
}

/** What is wrong although nothing was reported, or with the report. */
function describeHarm({ reportedBy, misreported, lost, entries }: FlipJudgement, { entries: all }: Base): string[] {
  if (misreported !== null) return [`${reportedBy ?? ''} calls the damage an internal error: ${misreported}`]
  if (reportedBy !== null) return []
  const harm = lost.length === 0 ? [] : [`nothing was reported, and ${lost.length} facts are lost: ${lost[0] ?? ''}`]
  return entries >= all ? harm : [...harm, `nothing was reported, and the walk covered ${entries} of ${all} entries`]
}

/** Only what was recorded outside of the database shows that it is an older one. Without that, it starts. */
function putBackOlder(base: Base, older: string): Promise<string[]> {
  return compareWithRecords(base, 'an older database', () => {
    const path = databaseOf(base.serviceData)
    copyFileSync(older, path)
    for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
  })
}

/** The first half of the log's frames, which SQLite takes for all of it. */
function cutLog(base: Base): Promise<string[]> {
  return compareWithRecords(base, 'a cut log', () => {
    const log = logOf(base.serviceData)
    truncateSync(log, logHeaderBytes + Math.floor((statSync(log).size - logHeaderBytes) / frameBytes / 2) * frameBytes)
  })
}

/** A change that is reported, and that would do harm unreported without what was recorded outside of the database. */
async function compareWithRecords(base: Base, what: string, change: () => void): Promise<string[]> {
  const judged = await judge(base, change)
  const complaints = judged.reportedBy === null ? [`${what} was not reported`] : []
  const forgotten = await judge(base, () => {
    change()
    forget(base)
  })
  if (forgotten.reportedBy === null && forgotten.lost.length > 0) return complaints
  return [...complaints, `${what} without the records outside of it did no harm unreported (${forgotten.reportedBy ?? 'nothing lost'})`]
}

/** Deletes the checkpoints, and what the service recorded of how far it read the audit. */
function forget({ serviceData }: Base): void {
  for (const name of ['audit-checkpoints.jsonl', 'audit-heads', 'row-versions'])
    rmSync(join(dataFolderOf(serviceData), name), { force: true })
}

/** The control: a check that finds nothing, until the flipped bits have done harm. */
async function flipUnreported(base: Base, firstSeed: number): Promise<Control> {
  const imports = [plantedFaults.noFindings]
  const what = 'a check of the store that finds nothing'
  for (let seed = firstSeed; seed < firstSeed + maxControls; seed++) {
    const judged = await judge(base, () => flipDatabase(base, seed), imports)
    const [harm] = describeHarm(judged, base)
    if (harm !== undefined) return { what, isFound: true, details: `seed ${seed}: ${harm}` }
  }
  return { what, isFound: false, details: `${maxControls} seeds did no harm unreported` }
}

function describe(reported: ReadonlyMap<string, number>): string {
  return [...reported].map(([by, count]) => `${by} ${count}`).join(', ')
}

function databaseOf(serviceData: ServiceData): string {
  return join(dataFolderOf(serviceData), 'tessera.db')
}

function logOf(serviceData: ServiceData): string {
  return `${databaseOf(serviceData)}-wal`
}

function kilobytes(path: string): number {
  return existsSync(path) ? Math.round(statSync(path).size / 1024) : 0
}

const flips = 20
const maxControls = 10
/** A checkpoint is exported a quarter of a second after an entry; on a busy machine somewhat later. */
const recordedMs = 1500
const logHeaderBytes = 32
/** A header of 24 bytes and a page. */
const frameBytes = 24 + 4096
