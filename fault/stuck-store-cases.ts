import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { startCluster } from '../tools/postgres.ts'
import { mountExt4 } from './mount.ts'
import { dataFolderOf } from './inspect.ts'
import { plantedFaults } from './planted-faults.ts'
import { createServiceData, type ServiceData, type ServiceDataFactory, type StoreKind } from './service-data.ts'
import { runCommand } from './spawn.ts'
import { countCards } from './statement.ts'

/** A fault in which the database answers nobody for a while. */
export interface StuckCase {
  readonly name: string
  readonly store: StoreKind
  /** What has to hold besides the time limit of every call, in this fault. */
  readonly mustServeReads: boolean
  readonly mustNotBeReady: boolean
  /** The fault that this case cannot be found with, planted for the control. */
  readonly control: { readonly what: string; readonly imports: readonly URL[] }
  open(dataFactory: ServiceDataFactory): Promise<StuckPlace>
}

/** Where the service of one case has its data, and its fault. */
export interface StuckPlace {
  readonly serviceData: ServiceData
  /** Resolves when the fault is over; it lasts `ms`. */
  breakFor(ms: number): Promise<void>
  /** The cards that the database has. */
  countCards(): Promise<number>
  close(): Promise<void>
}

const withoutLimits = { what: 'waits without a limit', imports: [plantedFaults.unlimitedWaits] }

export const stuckCases: readonly StuckCase[] = [
  {
    name: 'frozen disk',
    store: 'sqlite',
    mustServeReads: true,
    mustNotBeReady: true,
    control: withoutLimits,
    open: async () => {
      const disk = mountExt4(256)
      const serviceData = createServiceData(disk.folder, null)
      return {
        serviceData,
        async breakFor(ms) {
          await disk.freeze()
          await pause(ms).finally(() => disk.thaw())
        },
        countCards: () => countCards(serviceData),
        close: async () => disk.remove(),
      }
    },
  },
  {
    name: 'locked key store',
    store: 'sqlite',
    mustServeReads: true,
    mustNotBeReady: false,
    control: { what: 'a key store that is read by the answering thread', imports: [plantedFaults.synchronousKeys] },
    open: async (dataFactory) => {
      const serviceData = await dataFactory.create('sqlite')
      return {
        serviceData,
        breakFor: (ms) => lockKeys(serviceData, ms),
        countCards: () => countCards(serviceData),
        close: () => serviceData.remove(),
      }
    },
  },
  {
    name: 'table lock',
    store: 'postgres',
    mustServeReads: false,
    mustNotBeReady: false,
    control: withoutLimits,
    open: async (dataFactory) => {
      const serviceData = await dataFactory.create('postgres')
      return {
        serviceData,
        breakFor: (ms) => lockTable(serviceData, ms),
        countCards: () => countCards(serviceData),
        close: () => serviceData.remove(),
      }
    },
  },
  {
    name: 'crash recovery',
    store: 'postgres',
    mustServeReads: false,
    mustNotBeReady: true,
    control: withoutLimits,
    open: async () => {
      const cluster = await startCluster({ settings: { checkpoint_timeout: '1h' } })
      const own = createServiceData(cluster.folder, cluster.url)
      return {
        serviceData: own,
        async breakFor(ms) {
          // A server that stands still with all its connections, is found dead, and then replays its WAL.
          const backends = childrenOf(cluster.pid())
          for (const pid of [cluster.pid(), ...backends]) process.kill(pid, 'SIGSTOP')
          await pause(ms)
          await cluster.crash()
          for (const pid of backends) process.kill(pid, 'SIGKILL')
          await cluster.start()
        },
        countCards: () => countCards(own),
        close: () => cluster.stop(),
      }
    },
  },
]

async function lockKeys(serviceData: ServiceData, ms: number): Promise<void> {
  const keys = new DatabaseSync(join(dataFolderOf(serviceData), 'keys.db'))
  keys.exec('pragma busy_timeout = 5000; begin exclusive')
  // The lock lasts until the command has ended, which may start slowly on a busy machine.
  await Promise.all([pause(ms), rotateKey(serviceData)]).finally(() => keys.close())
}

/** Asks the running service for a new key, which it cannot store: the command ends with an error. */
async function rotateKey(serviceData: ServiceData): Promise<void> {
  const { code, out } = await runCommand(['keys', 'rotate', 'limits', `--data=${dataFolderOf(serviceData)}`])
  if (code === 0) throw new Error(`a key was stored although the key store is locked: ${out}`)
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
}

async function lockTable({ databaseUrl }: ServiceData, ms: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl ?? '' })
  await client.connect()
  await client.query('begin; lock table cards in access exclusive mode')
  await pause(ms)
  await client.query('rollback')
  await client.end()
}
