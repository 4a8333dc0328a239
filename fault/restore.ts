import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, openSync, readSync, closeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import {
  compareHistory,
  countUnknownOutcomes,
  describeFound,
  judgePrefix,
  makeCallHistory,
  p99Between,
  recordHistory,
  type CallHistory,
  type MadeBackupTimes,
} from './history.ts'
import { dataFolderOf, longLifetimes, readRefusal, stopAndVerify } from './inspect.ts'
import { plantedFaults } from './planted-faults.ts'
import { makeRandom } from './random.ts'
import { restorePostgres } from './restore-postgres.ts'
import type { ServiceData } from './service-data.ts'
import { ProgramNotStarted, runCommand, startService, type RunningService } from './spawn.ts'

/** A backup is made under load, the service is killed, and the backup restored. */
export const restore: Experiment = {
  name: 'restore',
  question: 'Is a backup that was made under load a beginning of what was acknowledged, and is a torn or incomplete copy refused?',
  stores: ['sqlite', 'postgres'],
  cycles: 20,
  needs: [],
  run: (trial) => (trial.store === 'sqlite' ? restoreSqlite(trial) : restorePostgres(trial)),
}

/** `cycles`: seconds of load before the backup, which decide how large the database is. */
async function restoreSqlite(trial: Trial): Promise<ExperimentResult> {
  const serviceData = await trial.dataFactory.create('sqlite')
  const complaints: string[] = []
  try {
    const { history, backup, during } = await loadAndBackUp(trial, serviceData, complaints)
    trial.say(`backed up under load in ${backup.ms.toFixed(0)} ms, then killed`)
    const restored = await runCommand(['restore', backup.folder, '--yes', ...dataFlag(serviceData)])
    if (restored.code !== 0) complaints.push(`tessera restore ended with ${String(restored.code)}: ${restored.out.slice(0, 500)}`)
    const running = await startService({ flags: [...serviceData.flags, ...longLifetimes] })
    const found = await compareHistory(running, history)
    complaints.push(...judgePrefix(found, backup), ...(await stopAndVerify(running, serviceData)))
    trial.say(`restored: ${found.present} facts present, ${found.absent} behind the backup`)
    const control = await damageFiles(trial, complaints)
    return {
      acknowledged: found.present + found.absent,
      lost: found.outOfOrder,
      cycles: 1,
      complaints,
      control,
      metrics: { ...during, ...describeFound(found), backup_ms: Math.round(backup.ms), backup_mb: backup.megabytes },
    }
  } finally {
    await serviceData.remove()
  }
}

function dataFlag(serviceData: ServiceData): string[] {
  return [`--data=${dataFolderOf(serviceData)}`]
}

interface LoadedBackup {
  readonly history: CallHistory
  readonly backup: MadeBackupTimes & { readonly ms: number; readonly megabytes: number }
  readonly during: Readonly<Record<string, number>>
}

async function loadAndBackUp({ cycles, seed }: Trial, serviceData: ServiceData, complaints: string[]): Promise<LoadedBackup> {
  const running = await startService({ flags: [...serviceData.flags, ...longLifetimes] })
  const [history, over] = [makeCallHistory(), new AbortController()]
  const load = recordHistory({ ...running, connections: 4, random: makeRandom(seed), until: over.signal }, history)
  await pause(cycles * 1000)
  const folder = join(serviceData.folder, 'backup')
  const begunAt = performance.now()
  const { code, out } = await runCommand(['backup', folder, '--json', ...dataFlag(serviceData)])
  const endedAt = performance.now()
  if (code !== 0) throw new Error(`tessera backup ended with ${String(code)}: ${out.slice(0, 500)}`)
  const afterMs = Math.min(3000, Math.max(1000, cycles * 250))
  await pause(afterMs)
  const killedAt = performance.now()
  await running.kill()
  over.abort()
  await load
  const unknown = await countUnknownOutcomes(history, serviceData)
  for (const [reason, times] of history.refusals) complaints.push(`refused under load: ${reason} (${times} times)`)
  const half = begunAt - (cycles * 1000) / 2
  const during = {
    p99_ms_before: p99Between(history, half, begunAt),
    p99_ms_during: p99Between(history, begunAt, endedAt),
    p99_ms_after: p99Between(history, endedAt, killedAt - 100),
  }
  const ratio = during.p99_ms_during / Math.max(during.p99_ms_before, during.p99_ms_after)
  // In a short trial there are too few calls for a p99.
  if (cycles >= judgedSeconds && !(ratio <= maxRatio))
    complaints.push(`p99 during the backup was ${ratio.toFixed(1)} times that before and after it`)
  const { file } = JSON.parse(out) as { file: { bytes: number } }
  return {
    history,
    during: { ...during, p99_ratio: Number(ratio.toFixed(2)), ...unknown },
    backup: { folder, begunAt, endedAt, ms: endedAt - begunAt, megabytes: Math.round(file.bytes / 2 ** 20) },
  }
}

/** Copies as they should not be made, each put in place of the files of a killed service. The control: a service that does not look starts on them. */
async function damageFiles(trial: Trial, complaints: string[]): Promise<ExperimentResult['control']> {
  const seen: string[] = []
  let isFound = true
  for (const damage of [withoutWal, tornCopy]) {
    const serviceData = await trial.dataFactory.create('sqlite')
    try {
      const history = await damage(serviceData, trial.seed)
      const refusal = await readRefusal(serviceData)
      if (!refusal.includes(damage === withoutWal ? 'database_incomplete' : 'database_torn'))
        complaints.push(`${damage.name}: the start was not refused: ${refusal.slice(0, 300)}`)
      const unchecked = await startUnchecked(serviceData, history)
      seen.push(`${damage.name}: ${unchecked}`)
      if (damage === withoutWal) isFound = unchecked.startsWith('started')
    } finally {
      await serviceData.remove()
    }
  }
  return { what: 'a start that takes any files', isFound, details: seen.join('; ') }
}

async function runUnderLoad(
  serviceData: ServiceData,
  seed: number,
  meanwhile: (running: RunningService) => Promise<void>,
): Promise<CallHistory> {
  const running = await startService({ flags: [...serviceData.flags, ...longLifetimes] })
  const [history, over] = [makeCallHistory(), new AbortController()]
  const load = recordHistory({ ...running, connections: 8, random: makeRandom(seed), until: over.signal }, history)
  await meanwhile(running)
  await running.kill()
  over.abort()
  await load
  return history
}

async function withoutWal(serviceData: ServiceData, seed: number): Promise<CallHistory> {
  // So that the database without its log is one that a service would accept: that of the last stop.
  await (await startService({ flags: serviceData.flags })).stop()
  const history = await runUnderLoad(serviceData, seed, () => pause(700))
  rmSync(`${pathOf(serviceData)}-wal`)
  return history
}

/** The copy of the database and that of its log are of different moments, as with `cp` on a large database. */
async function tornCopy(serviceData: ServiceData, seed: number): Promise<CallHistory> {
  const path = pathOf(serviceData)
  const copies = join(serviceData.folder, 'copies')
  mkdirSync(copies)
  const history = await runUnderLoad(serviceData, seed, async () => {
    await pause(500)
    copyFileSync(path, join(copies, 'tessera.db'))
    const salt = readSalt(path)
    // From here on, the log no longer has what was moved into the database after it was copied.
    for (let waitedMs = 0; readSalt(path) === salt && waitedMs < maxWalMs; waitedMs += 20) await pause(20)
    await pause(100)
    copyFileSync(`${path}-wal`, join(copies, 'tessera.db-wal'))
  })
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
  for (const name of readdirSync(copies)) renameSync(join(copies, name), join(dataFolderOf(serviceData), name))
  return history
}

/** The salt in the header of the log: another one when the log begins again (sqlite.org/fileformat2.html#walformat). */
function readSalt(path: string): string {
  const open = openSync(`${path}-wal`, 'r')
  try {
    const header = Buffer.alloc(24)
    readSync(open, header, 0, header.length, 0)
    return header.subarray(16).toString('hex')
  } finally {
    closeSync(open)
  }
}

async function startUnchecked(serviceData: ServiceData, history: CallHistory): Promise<string> {
  const imports = [plantedFaults.skipFileCheck]
  try {
    const running = await startService({ flags: [...serviceData.flags, ...longLifetimes], imports })
    const { absent, present } = await compareHistory(running, history)
    await running.kill()
    return `started, ${absent} of ${absent + present} acknowledged facts lost`
  } catch (err) {
    if (err instanceof ProgramNotStarted)
      return `refused otherwise (${/"lines":\["([^"]{0,60})/.exec(err.message)?.[1]?.replaceAll(dataFolderOf(serviceData), '') ?? 'no reason'})`
    throw err
  }
}

function pathOf(serviceData: ServiceData): string {
  return join(dataFolderOf(serviceData), 'tessera.db')
}

const maxWalMs = 30_000
/** Of load before the backup. */
const judgedSeconds = 5
const maxRatio = 2
