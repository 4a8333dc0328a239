import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findOnPath } from '../../tools/find-program.ts'
import { findFreePort } from '../../tools/free-port.ts'
import { findPostgresFolder, findServerUser } from '../../tools/postgres.ts'
import { queryDatabase } from '../service-data.ts'
import { endWithParent } from '../spawn.ts'

/** Which settings of Patroni a cluster has, seconds. `ttl` is at least `loopWait` and twice `retryTimeout`. */
export interface PatroniTimes {
  readonly ttl: number
  readonly loopWait: number
  readonly retryTimeout: number
  /** Whether a commit waits for a standby (`synchronous_mode`). */
  readonly isSynchronous: boolean
}

/** Three servers of PostgreSQL under Patroni with etcd, reached through PgBouncer and HAProxy. All on loopback. */
export interface PatroniCluster {
  /** Of PgBouncer: the only address that the service knows. */
  readonly url: string
  /** The name of the leader; null while there is none. */
  leader(): Promise<string | null>
  /** Asks the leader to hand over to the synchronous standby. */
  switchover(): Promise<void>
  /** Kills Patroni and PostgreSQL of a node. */
  kill(name: string): Promise<void>
  /** Stops both from running, as a machine that stands still does. */
  pause(name: string): void
  wake(name: string): void
  /** Starts a node that was killed. */
  start(name: string): void
  /** Until there is a leader, every other node streams from it, and one of them is synchronous. */
  untilWhole(): Promise<void>
  stop(): Promise<void>
}

interface PatroniNode {
  readonly name: string
  readonly port: number
  readonly restPort: number
  child: ChildProcess | null
}

/** Starts everything in a folder, and resolves when the cluster is whole. */
export async function startPatroni(folder: string, times: PatroniTimes): Promise<PatroniCluster> {
  const user = findServerUser()
  const children = new Set<ChildProcess>()
  const run = (program: string, args: readonly string[], log: string): ChildProcess => {
    const path = findOnPath(program) ?? fail(`${program} is missing`)
    const [file = '', ...rest] = [...endWithParent(), '/bin/sh', '-c', `exec "$@" >>"${join(folder, log)}" 2>&1`, 'sh', path, ...args]
    const child = spawn(file, rest, {
      cwd: folder,
      stdio: 'ignore',
      env: { PATH: process.env['PATH'], LC_ALL: 'C', HOME: folder },
      ...user,
    })
    children.add(child)
    child.once('exit', () => children.delete(child))
    return child
  }
  if (user !== null) chownSync(folder, user.uid, user.gid)
  // Patroni's servers do not end with it.
  const leave = (): void => nodes.forEach(({ name, child }) => signalTree(folder, name, child?.pid, 'SIGKILL'))
  process.once('exit', leave)
  const nodes: PatroniNode[] = []
  const [etcdPort, peerPort, balancerPort, poolerPort] = await Promise.all([1, 2, 3, 4].map(() => findFreePort()))
  const etcdUrl = `http://127.0.0.1:${String(etcdPort)}`
  const peerUrl = `http://127.0.0.1:${String(peerPort)}`
  run(
    'etcd',
    // prettier-ignore
    ['--name=one', '--enable-v2=true', `--data-dir=${join(folder, 'etcd')}`, `--listen-client-urls=${etcdUrl}`, `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=${peerUrl}`, `--initial-advertise-peer-urls=${peerUrl}`, `--initial-cluster=one=${peerUrl}`],
    'etcd.log',
  )
  for (const name of ['pg1', 'pg2', 'pg3']) nodes.push({ name, port: await findFreePort(), restPort: await findFreePort(), child: null })
  for (const node of nodes) {
    mkdirSync(join(folder, node.name), { mode: 0o700 })
    if (user !== null) chownSync(join(folder, node.name), user.uid, user.gid)
    writeFileSync(join(folder, `${node.name}.yml`), JSON.stringify(patroniConfig(folder, node, etcdPort ?? 0, times)))
  }
  const startNode = (node: PatroniNode): void => {
    node.child = run('patroni', [join(folder, `${node.name}.yml`)], `${node.name}.log`)
  }
  const [first] = nodes
  if (first !== undefined) startNode(first)
  await untilHolds(async () => (await readRole(nodes)).leader !== null, 'the first leader')
  for (const node of nodes.slice(1)) startNode(node)
  writeFileSync(join(folder, 'haproxy.cfg'), haproxyConfig(balancerPort ?? 0, nodes))
  run('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], 'haproxy.log')
  writeFileSync(join(folder, 'users'), '"postgres" ""\n')
  writeFileSync(join(folder, 'pgbouncer.ini'), pgbouncerConfig(folder, poolerPort ?? 0, balancerPort ?? 0))
  run('pgbouncer', [join(folder, 'pgbouncer.ini')], 'pgbouncer.log')
  const find = (name: string): PatroniNode => nodes.find((node) => node.name === name) ?? fail(`there is no node ${name}`)
  const cluster: PatroniCluster = {
    url: `postgres://postgres@127.0.0.1:${String(poolerPort)}/postgres`,
    leader: async () => (await readRole(nodes)).leader,
    async switchover() {
      const { leader, sync } = await readRole(nodes)
      const body = JSON.stringify({ leader, candidate: sync })
      const reply = await fetch(`http://127.0.0.1:${String(find(leader ?? '').restPort)}/switchover`, { method: 'POST', body })
      if (!reply.ok) fail(`the switchover was refused: ${await reply.text()}`)
    },
    async kill(name) {
      const { child } = find(name)
      const gone = child === null ? null : once(child, 'exit')
      signalTree(folder, name, child?.pid, 'SIGKILL')
      await gone
    },
    pause: (name) => signalTree(folder, name, find(name).child?.pid, 'SIGSTOP'),
    wake: (name) => signalTree(folder, name, find(name).child?.pid, 'SIGCONT'),
    start: (name) => startNode(find(name)),
    untilWhole: () =>
      untilHolds(async () => {
        const { leader, sync } = await readRole(nodes)
        if (leader === null || (sync === null && times.isSynchronous)) return false
        return (await countStreaming(find(leader))) === nodes.length - 1
      }, 'every node to stream'),
    async stop() {
      leave()
      process.off('exit', leave)
      const gone = [...children].map((child) => once(child, 'exit'))
      for (const child of children) child.kill('SIGKILL')
      await Promise.all(gone)
    },
  }
  try {
    await cluster.untilWhole()
  } catch (err) {
    await cluster.stop()
    throw err
  }
  return cluster
}

/** Patroni reads YAML, of which JSON is a part. Restarting a crashed server in place would hide its loss: the standby takes over at once. */
function patroniConfig(
  folder: string,
  { name, port, restPort }: PatroniNode,
  etcdPort: number,
  { ttl, loopWait, retryTimeout, isSynchronous }: PatroniTimes,
): object {
  const address = (at: number): string => `127.0.0.1:${String(at)}`
  return {
    scope: 'tessera',
    name,
    restapi: { listen: address(restPort), connect_address: address(restPort) },
    // The older interface, of which Patroni 3.0 compares the lock when it renews it: docs/operating/patroni.md.
    etcd: { host: address(etcdPort) },
    bootstrap: {
      dcs: {
        ttl,
        loop_wait: loopWait,
        retry_timeout: retryTimeout,
        primary_start_timeout: 0,
        synchronous_mode: isSynchronous,
        // For the control alone: a synchronous standby is never behind.
        maximum_lag_on_failover: 2 ** 27,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 100, wal_log_hints: 'on', wal_keep_size: '256MB' } },
      },
      initdb: [{ encoding: 'UTF8' }, 'data-checksums', 'no-sync'],
    },
    postgresql: {
      listen: address(port),
      connect_address: address(port),
      data_dir: join(folder, name, 'data'),
      bin_dir: findPostgresFolder(),
      pgpass: join(folder, `${name}.pgpass`),
      authentication: { superuser: { username: 'postgres', password: 'x' }, replication: { username: 'replicator', password: 'x' } },
      pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
      parameters: { unix_socket_directories: join(folder, name) },
    },
  }
}

/** Only the leader's REST port says 200 to `/primary`; connections to a former one are cut. */
function haproxyConfig(port: number, nodes: readonly PatroniNode[]): string {
  const servers = nodes.map((node) => `  server ${node.name} 127.0.0.1:${String(node.port)} check port ${String(node.restPort)}`)
  return `defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
listen primary
  bind 127.0.0.1:${String(port)}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 1s fastinter 300ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`
}

/** A session of the service keeps its connection: the store prepares statements. By default PgBouncer waits 15 s after a login that failed. */
function pgbouncerConfig(folder: string, port: number, balancerPort: number): string {
  return `[databases]
* = host=127.0.0.1 port=${String(balancerPort)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${String(port)}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users')}
pool_mode = session
default_pool_size = 90
max_client_conn = 300
server_login_retry = 1
server_connect_timeout = 2
server_check_delay = 0
client_login_timeout = 5
query_wait_timeout = 5
ignore_startup_parameters = extra_float_digits,search_path,options
`
}

interface ClusterRoles {
  readonly leader: string | null
  readonly sync: string | null
}

/** How many standbys stream from a server, as it says itself: to Patroni one that has not begun is not behind. */
async function countStreaming({ port }: PatroniNode): Promise<number> {
  const [row] = await queryDatabase(
    `postgres://postgres@127.0.0.1:${String(port)}/postgres`,
    "select count(*)::integer as streaming from pg_stat_replication where state = 'streaming'",
  ).catch(() => [])
  return Number(row?.['streaming'] ?? 0)
}

/** As the first node says that answers: who leads, and who is synchronous. */
async function readRole(nodes: readonly PatroniNode[]): Promise<ClusterRoles> {
  for (const { restPort } of nodes) {
    const reply = await fetch(`http://127.0.0.1:${String(restPort)}/cluster`, { signal: AbortSignal.timeout(1000) }).then(
      async (found) => (await found.json()) as { members: { name: string; role: string; state: string }[] },
      () => null,
    )
    if (reply === null) continue
    const { members } = reply
    const named = (role: string): string | null => members.find((each) => each.role === role && each.state === 'running')?.name ?? null
    return {
      leader: named('leader'),
      sync: named('sync_standby'),
    }
  }
  return { leader: null, sync: null }
}

/** Patroni, and the server that it started, with every process of it: those that work in the node's folder. */
function signalTree(folder: string, name: string, patroni: number | undefined, signal: NodeJS.Signals): void {
  const data = join(folder, name, 'data')
  const servers = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && workingFolder(pid) === data)
  for (const pid of [...(patroni === undefined ? [] : [patroni]), ...servers.map(Number)]) {
    try {
      process.kill(pid, signal)
    } catch (err) {
      if ((err as NodeJS.ErrnoException).code !== 'ESRCH') throw err
    }
  }
}

/** A server and its processes work in the data folder. */
function workingFolder(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return null
  }
}

async function untilHolds(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (let attempt = 0; !(await holds()); attempt++) {
    if (attempt > 900) fail(`waited in vain for ${what}`)
    await pause(200)
  }
}

function fail(text: string): never {
  throw new Error(text)
}
