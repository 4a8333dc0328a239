import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { keepLast, plainEnvironment, readReady } from './service-child.ts'

/** The service as a test's child: the real command line in a test environment, on free ports, with a store of its own. */
export type StartedTessera = {
  /** `http://127.0.0.1:<port>`, without a slash behind it. */
  readonly url: string
  readonly merchantId: string
  readonly password: string
  /** Its data folder, by which the command line finds it. */
  readonly folder: string
  /** Makes another merchant, as an operator would. */
  makeMerchant: (name: string) => Promise<{ readonly merchantId: string; readonly password: string }>
  /** Stops it as an operator would, removes what it kept, and tells its exit code; null when it had to be killed. */
  stop: () => Promise<number | null>
}

export type StartOptions = {
  postgresUrl?: string
  /** Flags of the command line, `--otp-life-seconds=30` and the like. */
  settings?: readonly string[]
}

/** Starts one; on PostgreSQL, in a database of its own, when `postgresUrl` names a server, on the embedded store otherwise. */
export async function startTessera({ postgresUrl, settings = [] }: StartOptions = {}): Promise<StartedTessera> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-started-'))
  const database = postgresUrl === undefined ? null : await makeDatabase(postgresUrl)
  const places = [`--data=${folder}`, ...(database === null ? [] : [`--database-url=${database.url}`])]
  const args = ['service/bin/tessera.mjs', 'start', '--json', '--port=0', '--admin-port=0', '--log-level=warn', ...places, ...settings]
  const child = spawn(process.execPath, args, { cwd: root, env: plainEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const said = keepLast(child)
  const late = setTimeout(() => child.kill('SIGKILL'), startMsMax)
  const ready = await Promise.race([readReady(child), ended.then(() => null)])
  clearTimeout(late)
  if (ready === null) throw new Error(`the service did not start: ${said()}`)
  return {
    url: ready.url,
    merchantId: ready.demo.merchantId,
    password: ready.demo.password,
    folder,
    makeMerchant: (name) => makeMerchant(folder, name),
    async stop() {
      const slow = setTimeout(() => child.kill('SIGKILL'), stopMsMax)
      child.kill('SIGTERM')
      const code = await ended
      clearTimeout(slow)
      await database?.drop()
      rmSync(folder, { recursive: true, force: true })
      return code
    },
  }
}

async function makeMerchant(folder: string, name: string): Promise<{ merchantId: string; password: string }> {
  const args = ['service/bin/tessera.mjs', 'merchants', 'create', `--name=${name}`, '--json', `--data=${folder}`]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env: plainEnvironment() })
  return JSON.parse(stdout) as { merchantId: string; password: string }
}

async function makeDatabase(server: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `tessera_${randomBytes(6).toString('hex')}`
  await tell(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => tell(server, `drop database ${name} with (force)`) }
}

async function tell(server: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: server, connectionTimeoutMillis: 5000, query_timeout: 20_000 })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const startMsMax = 60_000
const stopMsMax = 30_000
