import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { copyCluster, startCluster, type Cluster, type ClusterCopy } from '../tools/postgres.ts'
import type { ExperimentResult, Trial } from './experiment.ts'
import {
  compareHistory,
  countUnknownOutcomes,
  describeFound,
  judgePrefix,
  makeCallHistory,
  p99Between,
  recordHistory,
  type CallHistory,
} from './history.ts'
import { longLifetimes, readRefusal, stopAndVerify } from './inspect.ts'
import { plantedFaults } from './planted-faults.ts'
import { makeRandom } from './random.ts'
import { createServiceData, makeFolder, type ServiceData } from './service-data.ts'
import { runCommand, startService } from './spawn.ts'

/** The same with PostgreSQL: its own tools copy the database, the keys are in another cluster. */
export async function restorePostgres(trial: Trial): Promise<ExperimentResult> {
  const keys = await trial.dataFactory.create('postgres')
  const cards = await startCluster()
  const folder = makeFolder()
  const complaints: string[] = []
  let copy: ClusterCopy | null = null
  let restoredCluster: Cluster | null = null
  try {
    const before = dataOn(folder, cards, keys)
    const made = await loadAndCopy(trial, before, cards, complaints)
    copy = made.copy
    complaints.push(...(await startWithoutLog(copy)))
    restoredCluster = await copy.start()
    const after = dataOn(folder, restoredCluster, keys)
    const refusal = await readRefusal(after)
    if (!refusal.includes('database_restored')) complaints.push(`a start on the older database was not refused: ${refusal.slice(0, 300)}`)
    const unchecked = await startUnfollowed(after, made.history)
    const restored = await runCommand(['restore', made.backup.folder, '--yes', ...after.flags])
    if (restored.code !== 0) complaints.push(`tessera restore ended with ${String(restored.code)}: ${restored.out.slice(0, 500)}`)
    const running = await startService({ flags: [...after.flags, ...longLifetimes] })
    const found = await compareHistory(running, made.history)
    complaints.push(...judgePrefix(found, made.backup), ...(await stopAndVerify(running, after)))
    trial.say(`restored: ${found.present} facts present, ${found.absent} behind the backup`)
    return {
      acknowledged: found.present + found.absent,
      lost: found.outOfOrder,
      cycles: 1,
      complaints,
      control: {
        what: 'a service that does not compare the audit with what it knew',
        isFound: unchecked > 0,
        details: `started, ${unchecked} acknowledged facts lost`,
      },
      metrics: { ...made.during, ...describeFound(found) },
    }
  } finally {
    await restoredCluster?.stop()
    copy?.remove()
    await cards.stop()
    await keys.remove()
  }
}

/** A service with its cards on one cluster and its keys on another. */
function dataOn(folder: string, { url }: Cluster, keys: ServiceData): ServiceData {
  const serviceData = createServiceData(folder, url)
  return { ...serviceData, flags: [...serviceData.flags, `--keys-database-url=${keys.databaseUrl ?? ''}`] }
}

async function loadAndCopy({ cycles, seed }: Trial, serviceData: ServiceData, cards: Cluster, complaints: string[]) {
  const running = await startService({ flags: [...serviceData.flags, ...longLifetimes] })
  const [history, over] = [makeCallHistory(), new AbortController()]
  const load = recordHistory({ ...running, connections: 4, random: makeRandom(seed), until: over.signal }, history)
  await pause(cycles * 1000)
  const folder = join(serviceData.folder, 'backup')
  const begunAt = performance.now()
  const { code, out } = await runCommand(['backup', folder, '--json', ...serviceData.flags])
  if (code !== 0) throw new Error(`tessera backup ended with ${String(code)}: ${out.slice(0, 500)}`)
  const copy = await copyCluster(cards)
  const endedAt = performance.now()
  await pause(Math.max(500, cycles * 250))
  await running.kill()
  const killedAt = performance.now()
  over.abort()
  await load
  for (const [reason, times] of history.refusals) complaints.push(`refused under load: ${reason} (${times} times)`)
  // A stop records the end of the audit outside of the database; after a kill it is up to ten seconds old.
  await (await startService({ flags: serviceData.flags })).stop()
  const during = {
    p99_ms_before: p99Between(history, begunAt - (cycles * 1000) / 2, begunAt),
    p99_ms_during: p99Between(history, begunAt, endedAt),
    p99_ms_after: p99Between(history, endedAt, killedAt - 100),
    backup_ms: Math.round(endedAt - begunAt),
    ...(await countUnknownOutcomes(history, serviceData)),
  }
  return { history, copy, during, backup: { folder, begunAt, endedAt } }
}

/** A copy without the segments of its log must not start. */
async function startWithoutLog({ dataFolder, start }: ClusterCopy): Promise<string[]> {
  const log = join(dataFolder, 'pg_wal')
  const segments = readdirSync(log).filter((name) => /^[0-9A-F]{24}$/.test(name))
  for (const name of segments) renameSync(join(log, name), join(dataFolder, `../${name}`))
  try {
    await (await start()).stop()
    return ['PostgreSQL started on a copy without its log']
  } catch (err) {
    return String(err).includes('could not locate required checkpoint record')
      ? []
      : [`PostgreSQL refused the copy otherwise: ${String(err).slice(0, 300)}`]
  } finally {
    for (const name of segments) renameSync(join(dataFolder, `../${name}`), join(log, name))
  }
}

/** How many acknowledged facts a service without the comparison lacks. It is killed, so that it records nothing. */
async function startUnfollowed(serviceData: ServiceData, history: CallHistory): Promise<number> {
  const imports = [plantedFaults.skipFreshness]
  const running = await startService({ flags: [...serviceData.flags, ...longLifetimes], imports })
  const { absent } = await compareHistory(running, history)
  await running.kill()
  return absent
}
