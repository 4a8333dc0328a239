// needs: build, postgres, haproxy
// time limit: 420 s
import assert from 'node:assert/strict'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { awaitWithin } from '../await-within.ts'
import { findOnPath } from '../find-program.ts'
import { findFreePort } from '../free-port.ts'
import { startCluster, type Cluster } from '../postgres.ts'
import { buildServerPackage } from './build.ts'

// Two processes on one PostgreSQL behind HAProxy, of two versions of the package, restarted, upgraded and taken back under load.

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const scratch = mkdtempSync(join(tmpdir(), 'tessera-upgrade-'))
const plain = { PATH: process.env['PATH'], HOME: scratch }
/** The later version: the same program with a change of the schema, which adds a column to the busiest table and one more table. */
const laterMigration = `alter table cards add column trial_of_upgrade text collate "C" not null default '';\ncreate table trials_of_upgrade (id text collate "C" primary key not null);\n`
type Version = '0.1.0' | '0.1.1'
const places = [
  { name: 'one', data: join(scratch, 'data-one') },
  { name: 'two', data: join(scratch, 'data-two') },
]
/** The later version has one migration more than this program. */
const laterNumber = readdirSync(join(root, 'service/src/store/migrations')).filter((file) => file.endsWith('.postgres.sql')).length + 1
const running = new Set<ChildProcess>()
let cluster: Cluster
let services: Service[]
let load: Load
let proxyPort = 0

before(async () => {
  const folder = join(scratch, 'package')
  buildServerPackage(root, folder)
  installAs('0.1.0', folder)
  for (const path of ['package.json', 'service/package.json']) {
    const text = readFileSync(join(folder, path), 'utf8')
    writeFileSync(
      join(folder, path),
      text.replace('"version": "0.1.0"', '"version": "0.1.1"').replace('"version":"0.1.0"', '"version":"0.1.1"'),
    )
  }
  const migrations = join(folder, 'service/src/store/migrations')
  writeFileSync(join(migrations, `${fileNumber(laterNumber)}-trial-of-upgrade.postgres.sql`), laterMigration)
  writeFileSync(join(migrations, `${fileNumber(laterNumber)}-trial-of-upgrade.sqlite.sql`), laterMigration.replaceAll(' collate "C"', ''))
  installAs('0.1.1', folder)
  cluster = await startCluster()
  const ports = await Promise.all(places.map(async () => ({ port: await findFreePort(), adminPort: await findFreePort() })))
  services = []
  for (const [at, place] of places.entries()) {
    mkdirSync(place.data, { mode: 0o700 })
    // Several services on one database have the same key encryption key.
    if (at > 0) copyFileSync(join(places[0]?.data ?? '', 'development.kek'), join(place.data, 'development.kek'))
    const service = makeService(place, ports[at] ?? assert.fail())
    await service.start('0.1.0')
    services.push(service)
  }
  proxyPort = await startProxy(services)
  load = startLoad(proxyPort)
  await load.untilCalls(50)
})
after(async () => {
  await load.stop()
  for (const child of running) child.kill('SIGKILL')
  await cluster.stop()
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
})

test('each process is restarted, and no call fails', async () => {
  for (const service of services) await service.restart('0.1.0')
  load.assertNoneFailed()
})

test('the later version changes the schema while the earlier one runs on it', async () => {
  const shown = tessera('0.1.1', 'migrate')
  assert.match(shown, new RegExp(`cards +${String(laterNumber)} +trial-of-upgrade +adds only[^]*Nothing was changed`))
  assert.match(tessera('0.1.1', 'migrate', '--yes'), /1 changes are applied/)
  assert.match(tessera('0.1.1', 'migrate'), /has everything that this version needs/)
  await load.untilCalls(50)
  load.assertNoneFailed()
  assert.deepEqual(await listVersions(), ['0.1.0', '0.1.0'])
})

test('the processes are upgraded one after the other, and no call fails', async () => {
  for (const service of services) {
    await service.restart('0.1.1')
    // Both versions share the load for a while.
    await load.untilCalls(50)
  }
  load.assertNoneFailed()
  assert.deepEqual(await listVersions(), ['0.1.1', '0.1.1'])
})

test('the upgrade is taken back on the changed schema, and no call fails', async () => {
  for (const service of services) await service.restart('0.1.0')
  await load.untilCalls(50)
  load.assertNoneFailed()
  assert.deepEqual(await listVersions(), ['0.1.0', '0.1.0'])
  assert.match(tessera('0.1.0', 'doctor', '--port=0', '--admin-port=0'), /schema +of a later version, which added to it: 1 migrations/)
})

test('a change that is breaking is refused by the earlier version, which says so, and by migrate without --breaking', async () => {
  const migrations = join(programOf('0.1.1'), 'service/src/store/migrations')
  for (const dialect of ['postgres', 'sqlite'])
    writeFileSync(
      join(migrations, `${fileNumber(laterNumber + 1)}-breaking.${dialect}.sql`),
      '-- breaking\ndrop table trials_of_upgrade;\n',
    )
  assert.throws(() => tessera('0.1.1', 'migrate', '--yes'), /Services of the previous version fail on what is breaking/)
  const [, second] = services
  await second?.stop()
  load.assertNoneFailed()
  assert.match(tessera('0.1.1', 'migrate', '--yes', '--breaking'), /1 changes are applied/)
  await assert.rejects(
    async () => second?.start('0.1.0'),
    new RegExp(`newer than this program: it has migration ${String(laterNumber + 1)} \\(breaking\\)`),
  )
  await second?.start('0.1.1')
})

test('every card that was acknowledged is there', async () => {
  await load.stop()
  const { tokens, calls } = load.counts()
  process.stdout.write(`# ${String(calls)} calls, ${String(tokens.length)} cards, none failed\n`)
  assert.ok(tokens.length > 100, String(tokens.length))
  for (const token of tokens) assert.equal(await callThrough(proxyPort, new Agent(), 'cards.check', { token }), 'reply')
})

/** Packs and installs the package in a folder of its own for each version: a running process goes on with the files that it was started from. */
function installAs(version: Version, folder: string): void {
  const target = join(scratch, version)
  mkdirSync(target)
  const [{ filename } = { filename: '' }] = JSON.parse(
    run('npm', ['pack', '--json', '--pack-destination', scratch], { cwd: folder, env: process.env }),
  ) as { filename: string }[]
  renameSync(join(scratch, filename.replace(/^@/, '').replace('/', '-')), join(scratch, `${version}.tgz`))
  const options = ['--offline', '--omit=optional', '--no-audit', '--no-fund', '--cache', join(scratch, 'cache')]
  run('npm', ['install', ...options, join(scratch, `${version}.tgz`)], { cwd: target, env: process.env })
  cpSync(join(target, 'package.json'), join(target, 'installed.json'))
}

function programOf(version: Version): string {
  return join(scratch, version, 'node_modules/@tessera/server')
}

function tessera(version: Version, ...args: string[]): string {
  const settings = [`--data=${places[0]?.data ?? ''}`, `--database-url=${cluster.url}`]
  try {
    return run(process.execPath, [join(programOf(version), 'bin/tessera.mjs'), ...args, ...settings], { cwd: scratch, env: plain })
  } catch (err) {
    const { stdout = '', stderr = '' } = err as { stdout?: string; stderr?: string }
    // The checks of a start are all printed, also when one of them asks for something.
    if (args[0] === 'doctor') return stdout
    throw new Error(stdout + stderr, { cause: err })
  }
}

interface Service {
  readonly port: number
  readonly adminPort: number
  start(version: Version): Promise<void>
  stop(): Promise<void>
  restart(version: Version): Promise<void>
}

function makeService({ name, data }: (typeof places)[number], { port, adminPort }: { port: number; adminPort: number }): Service {
  let child: ChildProcess | null = null
  const service: Service = {
    port,
    adminPort,
    async start(version) {
      const flags = [`--port=${String(port)}`, `--admin-port=${String(adminPort)}`, `--data=${data}`, `--database-url=${cluster.url}`]
      const program = join(programOf(version), 'bin/tessera.mjs')
      const started = spawn(process.execPath, [program, 'start', '--json', '--lame-duck-seconds=3', ...flags], {
        cwd: scratch,
        env: plain,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      running.add(started)
      let said = ''
      started.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
      const ready = new Promise<void>((resolve, reject) => {
        started.stdout.setEncoding('utf8').on('data', (text: string) => {
          said += text
          if (text.includes('"ready"')) resolve()
        })
        started.once('exit', (code) => {
          running.delete(started)
          reject(new Error(`${name} ended with ${String(code)}: ${said}`))
        })
      })
      await awaitWithin(ready, `${name} to be ready`, 60)
      child = started
    },
    async stop() {
      const stopped = child ?? assert.fail(`${name} does not run`)
      const ended = new Promise((resolve) => stopped.once('exit', resolve))
      stopped.kill('SIGTERM')
      assert.equal(await awaitWithin(ended, `${name} to end`, 30), 0)
      child = null
    },
    async restart(version) {
      await service.stop()
      await service.start(version)
      // Until the proxy has seen it: the next one is stopped only then.
      await pause(1500)
    },
  }
  return service
}

/** HAProxy with the checks of docs/operating/behind-a-proxy.md, twice as often. */
async function startProxy(behind: readonly Service[]): Promise<number> {
  const port = await findFreePort()
  const servers = behind.map((each, at) => `  server s${String(at)} 127.0.0.1:${String(each.port)} port ${String(each.adminPort)}`)
  const timeouts = ['connect 5s', 'client 75s', 'server 20s', 'http-request 10s', 'http-keep-alive 65s'].map((each) => `  timeout ${each}`)
  const config = [
    'global\n  tune.bufsize 98304',
    `defaults\n  mode http\n${timeouts.join('\n')}`,
    `frontend api\n  bind 127.0.0.1:${String(port)}\n  option http-buffer-request\n  default_backend tessera`,
    `backend tessera\n  option httpchk GET /readyz\n  http-check send hdr Host 127.0.0.1\n  default-server check inter 1s fall 2\n${servers.join('\n')}`,
  ]
  writeFileSync(join(scratch, 'haproxy.cfg'), `${config.join('\n')}\n`)
  const child = spawn(findOnPath('haproxy') ?? assert.fail('haproxy is missing'), ['-db', '-f', join(scratch, 'haproxy.cfg')], {
    stdio: 'ignore',
  })
  running.add(child)
  for (let attempt = 0; (await callThrough(port, new Agent(), 'rpc.discover', {})) !== 'reply'; attempt++) {
    if (attempt > 100) assert.fail('HAProxy did not start')
    await pause(100)
  }
  return port
}

interface Load {
  /** Resolves after as many further calls. */
  untilCalls(count: number): Promise<void>
  assertNoneFailed(): void
  counts(): { readonly calls: number; readonly tokens: readonly string[] }
  stop(): Promise<void>
}

/** Four callers over connections that they keep: each creates a card, reads it, and goes on. */
function startLoad(port: number): Load {
  const outcomes = new Map<string, number>()
  const tokens: string[] = []
  let [calls, isStopped] = [0, false]
  const callers = Array.from({ length: 4 }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const count = (outcome: string): void => {
      calls++
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
    while (!isStopped) {
      const outcome = await callThrough(
        port,
        agent,
        'cards.create',
        { card: { number: '8600069195406311', expire: '0399' }, save: true },
        (token) => tokens.push(token),
      )
      count(outcome)
      const token = tokens.at(-1)
      if (token !== undefined) count(await callThrough(port, agent, 'cards.check', { token }))
      await pause(20)
    }
    agent.destroy()
  })
  return {
    async untilCalls(count) {
      const goal = calls + count
      for (let attempt = 0; calls < goal; attempt++) {
        if (attempt > 600) assert.fail(`the load stands still: ${JSON.stringify([...outcomes])}`)
        await pause(50)
      }
    },
    assertNoneFailed: () => assert.deepEqual([...outcomes.keys()], ['reply'], JSON.stringify([...outcomes])),
    counts: () => ({ calls, tokens }),
    async stop() {
      isStopped = true
      await Promise.all(callers)
    },
  }
}

const auth = { 'x-auth': '65f0c0ffee0000000000cafe:sandbox-only-password-not-for-live-0', 'content-type': 'application/json' }

/** `reply`, or what came instead. */
function callThrough(port: number, agent: Agent, method: string, params: object, onToken?: (token: string) => void): Promise<string> {
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, agent, method: 'POST', path: '/api', headers: auth, timeout: 20_000 }, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      reply.once('error', (err) => resolve(String(err)))
      reply.once('end', () => {
        const [, token] = /"token":"([^"]+)"/.exec(text) ?? []
        if (token !== undefined) onToken?.(token)
        resolve(reply.statusCode === 200 && text.includes('"result"') ? 'reply' : `${String(reply.statusCode)} ${text.slice(0, 200)}`)
      })
    })
    sent.once('error', (err) => resolve(String(err))).once('timeout', () => sent.destroy(new Error('no reply within 20 s')))
    sent.end(JSON.stringify({ id: 1, method, params }))
  })
}

async function listVersions(): Promise<string[]> {
  return Promise.all(
    services.map(async ({ adminPort }) => {
      const reply = (await (await fetch(`http://127.0.0.1:${String(adminPort)}/readyz`)).json()) as { version: string }
      return reply.version
    }),
  )
}

function run(program: string, args: readonly string[], options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }): string {
  return execFileSync(program, args, { ...options, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 })
}

function fileNumber(migration: number): string {
  return String(migration).padStart(4, '0')
}
