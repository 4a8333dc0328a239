import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { keepLast, plainEnvironment, readReady } from './service-child.ts'

/** The real service as a child process of a test: in the test environment, on free ports, with a store of its own. */
export type StartedTessera = {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string
  readonly merchantId: string
  readonly password: string
  /** Whether other test files use it at the same time. */
  readonly isShared: boolean
  /** Its data folder, by which the command line finds it. */
  readonly folder: string
  /** Creates another merchant, as an operator would. */
  makeMerchant: (name: string) => Promise<{ readonly merchantId: string; readonly password: string }>
  /** Creates an owner of a merchant's dashboard, with a password for one sign-in. */
  makeOwner: (merchantId: string, phone: string) => Promise<{ readonly password: string }>
  /** Stops it as an operator would, removes its data, and returns its exit code; null when it had to be killed. */
  stop: () => Promise<number | null>
}

export type StartOptions = {
  postgresUrl?: string
  /** Flags of the command line, `--otp-lifetime-seconds=30` and the like. */
  settings?: readonly string[]
  /** A data folder that exists, and stays when the service stops. Without one it is a new folder, removed at the end. */
  dataFolder?: string
}

/** Starts the service: on PostgreSQL, in a database of its own, when `postgresUrl` names a server; otherwise on the embedded store. */
export async function startTessera({ postgresUrl, settings = [], dataFolder }: StartOptions = {}): Promise<StartedTessera> {
  const folder = dataFolder ?? mkdtempSync(join(tmpdir(), 'tessera-started-'))
  const database = postgresUrl === undefined ? null : await makeDatabase(postgresUrl)
  const places = [`--data=${folder}`, ...(database === null ? [] : [`--database-url=${database.url}`])]
  const args = ['service/bin/tessera.mjs', 'start', ...fixedSettings, ...places, ...settings]
  const child = spawn(process.execPath, args, { cwd: root, env: plainEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const output = keepLast(child)
  const late = setTimeout(() => child.kill('SIGKILL'), maxStartMs)
  const ready = await Promise.race([readReady(child), ended.then(() => null)])
  clearTimeout(late)
  if (ready === null) throw new Error(`the service did not start: ${output()}`)
  return {
    url: ready.url,
    merchantId: ready.demo.merchantId,
    password: ready.demo.password,
    isShared: false,
    folder,
    makeMerchant: (name) => makeMerchant(folder, name),
    makeOwner: (merchantId, phone) => makeOwner(folder, merchantId, phone),
    async stop() {
      const slow = setTimeout(() => child.kill('SIGKILL'), maxStopMs)
      child.kill('SIGTERM')
      const code = await ended
      clearTimeout(slow)
      await database?.drop()
      if (dataFolder === undefined) rmSync(folder, { recursive: true, force: true })
      return code
    },
  }
}

/**
 * The service that the test runner shares among the files of a folder, with a merchant of this test's own; a service of its own without one.
 * `stop` leaves a shared service running.
 */
export async function joinTessera(): Promise<StartedTessera> {
  const shared = process.env.TESSERA_TEST_SERVICE ?? ''
  if (shared === '') return startTessera()
  const { url, folder } = JSON.parse(shared) as SharedTessera
  const { merchantId, password } = await makeMerchant(folder, 'Demo merchant')
  return {
    url,
    folder,
    merchantId,
    password,
    isShared: true,
    makeMerchant: (name) => makeMerchant(folder, name),
    makeOwner: (merchantId, phone) => makeOwner(folder, merchantId, phone),
    stop: async () => 0,
  }
}

/** Does what a test needs besides the service. When that fails, the service is stopped, so that the test file can end. */
export async function stopOnFailure<T>(tessera: Pick<StartedTessera, 'stop'>, open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (err) {
    await tessera.stop()
    throw err
  }
}

/** What `TESSERA_TEST_SERVICE` holds, as JSON. */
export type SharedTessera = Pick<StartedTessera, 'url' | 'folder'>

async function makeMerchant(folder: string, name: string): Promise<{ merchantId: string; password: string }> {
  return callOperator<{ merchantId: string; password: string }>(folder, 'operator.merchants.create', { patch: { name } })
}

async function makeOwner(folder: string, merchantId: string, phone: string): Promise<{ password: string }> {
  return callOperator<{ password: string }>(folder, 'operator.users.create', { merchantId, phone, role: 'owner' })
}

/** Calls an operation as the command line does, over the control socket. Starting the command line for it takes a second of processor time. */
async function callOperator<Result>(folder: string, operation: string, params: object): Promise<Result> {
  const socket = createConnection(join(folder, 'control.sock')).setEncoding('utf8').setTimeout(maxReplyMs)
  socket.once('timeout', () => socket.destroy(new Error(`no reply to ${operation}`)))
  socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: operation, params })}\n`)
  let text = ''
  for await (const chunk of socket) {
    text += chunk as string
    if (text.endsWith('\n')) break
  }
  const reply = JSON.parse(text) as { result: Result } | { error: { message: string } }
  if ('error' in reply) throw new Error(`${operation} was refused: ${reply.error.message}`)
  return reply.result
}

async function makeDatabase(server: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `tessera_${randomBytes(6).toString('hex')}`
  await runStatement(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => runStatement(server, `drop database ${name} with (force)`) }
}

async function runStatement(server: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: server, connectionTimeoutMillis: 5000, query_timeout: 20_000 })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** With the default cost each password would take 0.4 s of processor time. */
const fixedSettings = ['--json', '--port=0', '--admin-port=0', '--log-level=warn', '--dashboard-password-cost=10']
const maxStartMs = 60_000
const maxStopMs = 30_000
const maxReplyMs = 30_000
