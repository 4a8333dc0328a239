import { setTimeout as pause } from 'node:timers/promises'
import { startCluster, startStandby, type Cluster } from '../tools/postgres.ts'
import { openProxy, type Proxy } from './proxy.ts'
import { queryDatabase } from './service-data.ts'

/** A primary and its synchronous standby, each behind a proxy that can cut it off from the service. */
export interface PostgresPair {
  readonly first: PairServer
  readonly second: PairServer
  /** Names both hosts, the first one first. */
  readonly url: string
  /** Makes the second server a primary too; resolves when it accepts writes. */
  promoteSecond(): Promise<void>
  stop(): Promise<void>
}

export interface PairServer {
  readonly cluster: Cluster
  readonly proxy: Proxy
  /** As `tessera store choose-primary` takes it. */
  readonly address: string
}

export async function startPair(): Promise<PostgresPair> {
  const primary = await startCluster()
  const standby = await startStandby(primary)
  await queryDatabase(primary.url, `alter system set synchronous_standby_names = '*'`)
  await queryDatabase(primary.url, 'select pg_reload_conf()')
  const [first, second] = [await serve(primary), await serve(standby)]
  await awaitRow(primary.url, `select 1 from pg_stat_replication where sync_state = 'sync'`)
  return {
    first,
    second,
    url: `postgres://postgres@${first.address},${second.address}/postgres`,
    promoteSecond: async () => {
      await queryDatabase(standby.url, 'select pg_promote()')
      await awaitRow(standby.url, 'select 1 where not pg_is_in_recovery()')
    },
    stop: async () => {
      for (const { proxy, cluster } of [first, second]) {
        await proxy.close()
        await cluster.stop()
      }
    },
  }
}

/** Ends the connections of the service, as an administrator or a restart of a pooler does. */
export async function endServiceConnections({ cluster }: PairServer): Promise<void> {
  await queryDatabase(cluster.url, `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tessera'`)
}

async function serve(cluster: Cluster): Promise<PairServer> {
  const proxy = await openProxy({ host: '127.0.0.1', port: cluster.port })
  return { cluster, proxy, address: `127.0.0.1:${proxy.port}` }
}

async function awaitRow(url: string, query: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < maxWaitMs; waitedMs += 50) {
    if ((await queryDatabase(url, query)).length > 0) return
    await pause(50)
  }
  throw new Error(`PostgreSQL did not come to this state in time: ${query}`)
}

const maxWaitMs = 10_000
