import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { findOnPath, isProgram } from './find-program.ts'
import { findFreePort } from './free-port.ts'

/** A temporary PostgreSQL cluster in a folder of its own. `stop()` removes both. */
export type Cluster = {
  /** `postgres://postgres@127.0.0.1:<port>/postgres`; without a password, and for this machine only. */
  readonly url: string
  /** Holds `data/` and the unix socket. */
  readonly folder: string
  readonly port: number
  /** The server's process id; it changes when the server is started again. */
  pid: () => number
  /** Kills the server (SIGKILL) without a checkpoint. */
  crash: () => Promise<void>
  /** Stops the server with a checkpoint, as an operator does; its data stay. */
  halt: () => Promise<void>
  /** Starts the server again on the same data and port, after `crash()` or `halt()`. */
  start: () => Promise<void>
  stop: () => Promise<void>
}

export type ClusterOptions = {
  /** Settings for the command line: `{ synchronous_commit: 'off' }` becomes `-c synchronous_commit=off`. */
  settings?: Readonly<Record<string, string>>
  maxConnections?: number
  /** Whether pages bear checksums. Default: no, as initdb of PostgreSQL 15. */
  hasChecksums?: boolean
}

const maxStartSeconds = 30
const maxStopSeconds = 10
const maxPortAttempts = 5

/** Creates and starts a temporary cluster. For root it runs as an unprivileged user, since PostgreSQL refuses root. */
export async function startCluster({ settings = {}, maxConnections = 200, hasChecksums = false }: ClusterOptions = {}): Promise<Cluster> {
  const programs = findPostgresFolder() ?? fail('No PostgreSQL server is installed (initdb, postgres).')
  const user = findServerUser()
  removeAbandoned()
  const folder = mkdtempSync(join(tmpdir(), `tessera-postgres-${process.pid}-`))
  if (user !== null) chownSync(folder, user.uid, user.gid)
  const place: Place = { programs, folder, user }
  return startIn(place, { max_connections: String(maxConnections), ...settings }, () => initialise(place, hasChecksums))
}

/** Creates and starts a standby that streams from a running cluster of this module, by pg_basebackup. `select pg_promote()` makes it a primary. */
export async function startStandby(primary: Cluster): Promise<Cluster> {
  const programs = findPostgresFolder() ?? fail('No PostgreSQL server is installed (initdb, postgres).')
  const user = findServerUser()
  const folder = mkdtempSync(join(tmpdir(), `tessera-postgres-${process.pid}-`))
  if (user !== null) chownSync(folder, user.uid, user.gid)
  const place: Place = { programs, folder, user }
  return startIn(place, { max_connections: '200' }, () => copyAsStandby(place, primary.port))
}

/** Fills the folder and starts a server in it on a free port. Removes the folder when that fails. */
async function startIn(place: Place, settings: Readonly<Record<string, string>>, fill: () => void): Promise<Cluster> {
  try {
    fill()
    for (let attempt = 1; ; attempt++) {
      const port = await findFreePort()
      const server = await startServer(place, port, settings).catch((err: unknown) => {
        if (attempt < maxPortAttempts && String(err).includes('could not bind')) return null
        throw err
      })
      if (server !== null) return makeCluster({ place, port, settings, server })
    }
  } catch (err) {
    rmSync(place.folder, { recursive: true, force: true })
    throw err
  }
}

/** A base backup of a running cluster: a folder of its own, which `start` makes a cluster of. */
export type ClusterCopy = {
  readonly dataFolder: string
  /** Starts a server on the copy. Throws with its output when the copy is not complete. */
  start: () => Promise<Cluster>
  remove: () => void
}

/** Copies a running cluster with pg_basebackup, with the log that was written meanwhile. */
export async function copyCluster({ port }: Pick<Cluster, 'port'>): Promise<ClusterCopy> {
  const programs = findPostgresFolder() ?? fail('No PostgreSQL server is installed (initdb, postgres).')
  const user = findServerUser()
  const folder = mkdtempSync(join(tmpdir(), `tessera-postgres-${process.pid}-`))
  if (user !== null) chownSync(folder, user.uid, user.gid)
  const place: Place = { programs, folder, user }
  const options = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-X', 'stream', '-c', 'fast', '--no-sync']
  const run = spawn(join(programs, 'pg_basebackup'), ['-D', join(folder, 'data'), ...options], { cwd: folder, stdio: 'ignore', ...user })
  const [code] = (await once(run, 'exit')) as [number | null]
  if (code !== 0) fail(`pg_basebackup ended with ${String(code)}`)
  return {
    dataFolder: join(folder, 'data'),
    start: async () => {
      const port = await findFreePort()
      return makeCluster({ place, port, settings: {}, server: await startServer(place, port, {}) })
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }),
  }
}

/** The folder with initdb and postgres: Debian's, the newest version first, or one on PATH. */
export function findPostgresFolder(): string | null {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((one, other) => Number(other) - Number(one)) : []
  const onPath = findOnPath('initdb')
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...(onPath === null ? [] : [dirname(onPath)])]
  return folders.find((folder) => isProgram(join(folder, 'initdb')) && isProgram(join(folder, 'postgres'))) ?? null
}

type User = { uid: number; gid: number }
type Place = { programs: string; folder: string; user: User | null }
type RunningServer = { place: Place; port: number; settings: Readonly<Record<string, string>>; server: ChildProcess }

function makeCluster(running: RunningServer): Cluster {
  const { place, port, settings } = running
  let server = running.server
  const leave = (): void => {
    server.kill('SIGQUIT')
    rmSync(place.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
  process.once('exit', leave)
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    folder: place.folder,
    port,
    pid: () => server.pid ?? fail('The server is not running.'),
    crash: async () => end(server, 'SIGKILL'),
    halt: async () => end(server, 'SIGINT'),
    start: async () => {
      server = await restartServer(place, port, settings)
    },
    stop: async () => {
      await end(server, 'SIGINT')
      process.off('exit', leave)
      rmSync(place.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
    },
  }
}

/** After a crash the system may hold the shared memory of the killed server for a moment; a new server refuses to start until it is released. */
async function restartServer(...[place, port, settings]: Parameters<typeof startServer>): Promise<ChildProcess> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startServer(place, port, settings)
    } catch (err) {
      if (attempt === maxRestarts) throw err
      await pause(RESTART_PAUSE_MS)
    }
  }
}

const maxRestarts = 20
const RESTART_PAUSE_MS = 250

function initialise({ programs, folder, user }: Place, hasChecksums: boolean): void {
  const usual = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync', '--no-instructions']
  const options = hasChecksums ? [...usual, '--data-checksums'] : usual
  const run = spawnSync(join(programs, 'initdb'), ['-D', join(folder, 'data'), ...options], { cwd: folder, encoding: 'utf8', ...user })
  if (run.status !== 0) fail(`initdb failed (${run.error?.message ?? String(run.status ?? run.signal)}): ${run.stdout}${run.stderr}`)
}

function copyAsStandby({ programs, folder, user }: Place, port: number): void {
  const options = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-X', 'stream', '-c', 'fast', '--no-sync', '-R']
  const run = spawnSync(join(programs, 'pg_basebackup'), ['-D', join(folder, 'data'), ...options], {
    cwd: folder,
    encoding: 'utf8',
    ...user,
  })
  if (run.status !== 0) fail(`pg_basebackup failed (${run.error?.message ?? String(run.status ?? run.signal)}): ${run.stdout}${run.stderr}`)
}

/** Resolves when the server accepts connections; otherwise throws with its output. */
async function startServer(
  { programs, folder, user }: Place,
  port: number,
  settings: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const address = { listen_addresses: '127.0.0.1', unix_socket_directories: folder, port: String(port) }
  const options = Object.entries({ ...address, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = [...dieWithUs(), join(programs, 'postgres'), '-D', join(folder, 'data'), ...options]
  const [file = '', ...args] = command
  const server = spawn(file, args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    ...user,
  })
  const lines: string[] = []
  let isAccepting = false
  // The type checks may keep this thread busy for longer than the limit: what the server has written meanwhile is read before it is judged.
  const limit = setTimeout(() => setImmediate(() => isAccepting || server.kill('SIGKILL')), maxStartSeconds * 1000)
  const isReady = await new Promise<boolean>((resolve) => {
    server.once('error', (err) => {
      lines.push(err.message)
      resolve(false)
    })
    server.once('exit', () => resolve(false))
    createInterface({ input: server.stderr }).on('line', (line) => {
      if (lines.push(line) > 50) lines.shift()
      if (!/database system is ready to accept (read-only )?connections/.test(line)) return
      isAccepting = true
      resolve(true)
    })
  })
  clearTimeout(limit)
  return isReady ? server : fail(`PostgreSQL did not start: ${lines.join('\n')}`)
}

/** The kernel stops the server when this process ends for any reason (PR_SET_PDEATHSIG, by util-linux's setpriv). */
function dieWithUs(): string[] {
  const setpriv = findOnPath('setpriv')
  return setpriv === null ? [] : [setpriv, '--pdeathsig', 'INT', '--']
}

async function end(server: ChildProcess, signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const gone = once(server, 'exit')
  server.kill(signal)
  const limit = setTimeout(() => server.kill('SIGKILL'), maxStopSeconds * 1000)
  await gone
  clearTimeout(limit)
}

/** Null when this process is not root: then a server runs as the same user. */
export function findServerUser(): User | null {
  if (process.getuid?.() !== 0) return null
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number.parseInt(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout, 10))
    if (uid !== undefined && gid !== undefined && uid > 0 && gid > 0) return { uid, gid }
  }
  return fail('PostgreSQL does not run as root, and there is neither a user postgres nor nobody.')
}

/** Removes folders of processes that were killed before they could. Their servers ended with them. */
function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const owner = /^tessera-postgres-(\d+)-/.exec(name)?.[1]
    if (owner !== undefined && !isAlive(Number(owner))) rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (err) {
    return (err as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function fail(text: string): never {
  throw new Error(text)
}
