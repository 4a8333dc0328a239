import { readFileSync, readdirSync } from 'node:fs'
import { queryDatabase } from '../fault/service-data.ts'
import { readCpuMs, readEndedCpuMs } from './cpu.ts'

/** What a PostgreSQL server on this machine has used so far. */
export interface PostgresUsage {
  /** User and system time of all its processes. */
  readonly cpuMs: number
  /** How often it has synced its log. */
  readonly walSyncs: number
}

/** Reads it on a connection of its own, as a superuser. */
export async function readPostgresUsage(url: string): Promise<PostgresUsage> {
  const [row] = await queryDatabase(url, `select pg_read_file('postmaster.pid') as file, (select wal_sync from pg_stat_wal) as syncs`)
  const postmaster = Number.parseInt(String(row?.['file']), 10)
  const children = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name) && parentOf(name) === postmaster)
  const running = [postmaster, ...children.map(Number)].map(readCpuOrEnded).reduce((sum, ms) => sum + ms, 0)
  return { cpuMs: running + readEndedCpuMs(postmaster), walSyncs: Number(row?.['syncs']) }
}

/**
 * Gathers statistics of tables that were just filled, as autovacuum does within a minute. Until then PostgreSQL keeps plans of the empty tables: updates of a
 * receipt read an index of all receipts of its merchant, which took 5 ms each among 24,000.
 */
export async function analyzeTables(url: string): Promise<void> {
  await queryDatabase(url, 'analyze')
}

/** 0 when the process has ended meanwhile: its parent counts it then. */
function readCpuOrEnded(pid: number): number {
  try {
    return readCpuMs(pid)
  } catch {
    return 0
  }
}

/** Null when the process has ended meanwhile. */
function parentOf(pid: string): number | null {
  try {
    return Number(/^PPid:\t([0-9]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return null
  }
}
