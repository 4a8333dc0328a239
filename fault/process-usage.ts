import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { REQUEST_LOG_FILE } from '../service/src/store/sqlite/request-log.ts'
import { SQLITE_FILE } from '../service/src/store/sqlite/sqlite.ts'
import { dataFolderOf } from './inspect.ts'
import { queryDatabase, type ServiceData } from './service-data.ts'

/** What a service uses at a moment. */
export interface ProcessUsage {
  /** Resident memory, MiB. */
  readonly rssMib: number
  readonly descriptors: number
  /** The write-ahead logs: the files beside the embedded databases of cards and of the request log, or those of the PostgreSQL server; MiB. */
  readonly walMib: number
}

export async function readUsage(pid: number, serviceData: ServiceData): Promise<ProcessUsage> {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  const descriptors = readdirSync(`/proc/${pid}/fd`).length
  return { rssMib: Number(kib) / 1024, descriptors, walMib: (await readWalBytes(serviceData)) / 2 ** 20 }
}

async function readWalBytes(serviceData: ServiceData): Promise<number> {
  const { databaseUrl } = serviceData
  if (databaseUrl === null) return [SQLITE_FILE, REQUEST_LOG_FILE].reduce((sum, file) => sum + walBytesOf(serviceData, file), 0)
  const [row] = await queryDatabase(databaseUrl, 'select sum(size)::float8 as bytes from pg_ls_waldir()')
  return Number(row?.['bytes'])
}

function walBytesOf(serviceData: ServiceData, file: string): number {
  return statSync(join(dataFolderOf(serviceData), `${file}-wal`), { throwIfNoEntry: false })?.size ?? 0
}
