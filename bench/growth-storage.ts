import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { dataFolderOf } from '../fault/inspect.ts'
import { selectRows, type ServiceData } from '../fault/service-data.ts'
import { countCards } from '../fault/statement.ts'
import { runCommand, startService } from '../fault/spawn.ts'
import { median } from '../fault/statistics.ts'
import { SQLITE_FILE } from '../service/src/store/sqlite/sqlite.ts'

import { readResidentMib } from './cpu.ts'
import type { Measure } from './measurement.ts'

/** What depends on the size of a store besides its calls. */
export interface StorageCost {
  /** Database and indexes, without what an empty one takes. The audit entries of the cards are part of it. */
  readonly bytesPerCard: number
  readonly startMs: number
  /** Of a service that has just started. */
  readonly residentMib: number
  readonly verifyMicrosecondsPerCard: number
  /** Null on PostgreSQL, whose own tools make the backups. */
  readonly backupMegabytesPerSecond: number | null
}

/** Starts the service three times, verifies the audit and makes a backup. Says each as soon as it is measured: of ten million cards they take half an hour. */
export async function measureStorage(
  serviceData: ServiceData,
  { flags, say }: { readonly flags: readonly string[]; readonly say: (text: string) => void },
): Promise<Omit<StorageCost, 'bytesPerCard'>> {
  const cards = await countCards(serviceData)
  const bytes = await readDatabaseBytes(serviceData)
  const starts: number[] = []
  for (let round = 0; round < startRounds; round++) {
    const running = await startService({ flags })
    starts.push(running.startMs)
    await running.stop()
  }
  say(`starts: ${starts.map((ms) => ms.toFixed(0)).join(', ')} ms`)
  const running = await startService({ flags })
  try {
    const residentMib = readResidentMib(running.pid)
    const verifyMs = await timeCommand(['audit', 'verify', ...dataFlagOf(serviceData)])
    say(`audit verify: ${(verifyMs / 1000).toFixed(1)} s`)
    return {
      startMs: median(starts),
      residentMib,
      verifyMicrosecondsPerCard: (verifyMs * 1000) / cards,
      backupMegabytesPerSecond: serviceData.databaseUrl === null ? bytes / 1000 / (await timeBackup(serviceData)) : null,
    }
  } finally {
    await running.stop()
  }
}

/** Of the service's database, stopped or running: with its indexes and, on SQLite, what is still in the write-ahead log. */
export async function readDatabaseBytes(serviceData: ServiceData): Promise<number> {
  if (serviceData.databaseUrl !== null) {
    const [row] = await selectRows(serviceData, 'select pg_database_size(current_database())::float8 as bytes')
    return Number(row?.['bytes'])
  }
  const path = join(dataFolderOf(serviceData), SQLITE_FILE)
  return [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
}

/** As measures of one size; `first` is the cost at the smallest size. */
export function toStorageMeasures(of: string, cost: StorageCost, first: StorageCost): Measure[] {
  const { bytesPerCard, startMs, residentMib, verifyMicrosecondsPerCard, backupMegabytesPerSecond } = cost
  const grown = verifyMicrosecondsPerCard / first.verifyMicrosecondsPerCard
  return [
    { of, name: 'stored', value: bytesPerCard, unit: 'bytes a card' },
    { of, name: 'start', value: startMs, unit: 'ms', target: { most: 2000 } },
    { of, name: 'memory after the start', value: residentMib, unit: 'MiB' },
    { of, name: 'audit verify', value: verifyMicrosecondsPerCard, unit: 'µs a card' },
    { of, name: 'audit verify, compared', value: grown, unit: 'of the smallest', target: { most: maxGrowth } },
    ...(backupMegabytesPerSecond === null ? [] : [{ of, name: 'backup', value: backupMegabytesPerSecond, unit: 'MB/s' }]),
  ]
}

async function timeBackup(serviceData: ServiceData): Promise<number> {
  const folder = join(serviceData.folder, 'backups')
  mkdirSync(folder)
  try {
    return await timeCommand(['backup', join(folder, 'one'), ...dataFlagOf(serviceData)])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** In milliseconds, with the start of the command. Throws when it fails. */
async function timeCommand(args: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  const { code, out } = await runCommand(args)
  if (code !== 0) throw new Error(`tessera ${args.join(' ')} ended with ${String(code)}: ${out.slice(-500)}`)
  return performance.now() - startedAt
}

function dataFlagOf({ flags }: ServiceData): string[] {
  return flags.filter((flag) => flag.startsWith('--data='))
}

const startRounds = 3
/** A walk costs the same for each row, and the start of the command counts less and less. */
const maxGrowth = 1.5
