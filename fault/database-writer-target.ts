import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { openApiClient, type ApiClient, type CallOutcome } from './api-client.ts'
import { signInToDashboard, type DashboardLogin, type DashboardSession } from './dashboard-client.ts'
import type { Trial } from './experiment.ts'
import { dataFolderOf } from './inspect.ts'
import { openSecondConnection, type SecondConnection } from './second-connection.ts'
import { runCommandHere } from './command-in-process.ts'
import { startService } from './spawn.ts'

/** A running service, and what somebody has who writes its database: a second connection. */
export interface WriterTarget {
  readonly db: SecondConnection
  /** The demo merchant's server. */
  readonly api: ApiClient
  readonly merchantId: string
  /** `<id>:<password>` of the demo merchant. */
  readonly xAuth: string
  readonly login: DashboardLogin
  readonly receiver: EventReceiver
  signIn(login?: DashboardLogin): Promise<DashboardSession | null>
  /** Another merchant's server. An empty password: its page, with the id alone. */
  connectAs(merchantId: string, password: string): Promise<ApiClient>
  /** Runs an operator's command; throws when it fails. */
  tessera(args: readonly string[]): Promise<Readonly<Record<string, unknown>>>
  /** The output of a command that finds faults. */
  runFinder(command: string): Promise<string>
  countAlarms(): Promise<AlarmCounts>
  /** Where the alarm was raised since then. The audit entry is written beside the reply. */
  awaitAlarms(before: AlarmCounts): Promise<string[]>
  stop(): Promise<string[]>
  close(): Promise<void>
}

export interface AlarmCounts {
  readonly metric: number
  readonly log: number
  readonly audit: number
}

/** A merchant's endpoint for events. */
export interface EventReceiver {
  readonly url: string
  /** Event ids, in the order in which they came. */
  readonly deliveredIds: string[]
  /** Whether it replies with 500. */
  isFailing: boolean
}

export async function openWriterTarget({ store, dataFactory }: Trial, imports: readonly URL[]): Promise<WriterTarget> {
  const serviceData = await dataFactory.create(store)
  const running = await startService({ flags: serviceData.flags, imports })
  const db = await openSecondConnection(serviceData)
  const { receiver, close: closeReceiver } = await startEventReceiver()
  const clients: ApiClient[] = []
  const connect = async (xAuth: string): Promise<ApiClient> => {
    const client = await openApiClient({ url: running.url, xAuth })
    clients.push(client)
    return client
  }
  const api = await connect(running.xAuth)
  const place = `--data=${dataFolderOf(serviceData)}`
  const countAlarms = async (): Promise<AlarmCounts> => ({
    metric: sumOf(await (await fetch(`${running.adminUrl}/metrics`)).text()),
    log: running.countLines('"row_tampered"'),
    audit: await db.count('audit', { action: 'row.refused' }),
  })
  return {
    db,
    api,
    xAuth: running.xAuth,
    login: running.login,
    merchantId: running.xAuth.split(':')[0] ?? '',
    receiver,
    signIn: (login = running.login) => signInToDashboard(running.url, login),
    connectAs: (merchantId, password) => connect(password === '' ? merchantId : `${merchantId}:${password}`),
    async tessera(args) {
      const { code, out } = await runCommandHere([...args, '--json', place])
      if (code !== 0) throw new Error(`tessera ${args.join(' ')} ended with ${String(code)}: ${out}`)
      return JSON.parse(out) as Record<string, unknown>
    },
    runFinder: async (command) => (await runCommandHere([...command.split(' '), '--json', place])).out,
    countAlarms,
    async awaitAlarms(before) {
      for (let waitedMs = 0; ; waitedMs += pollMs) {
        const now = await countAlarms()
        const places = (['metric', 'log', 'audit'] as const).filter((where) => now[where] > before[where])
        if (places.length === 3 || waitedMs >= maxAlarmMs) return places
        await pause(pollMs)
      }
    },
    async stop() {
      for (const client of clients) client.close()
      const code = await running.stop()
      return code === 0 ? [] : [`SIGTERM ended the service with ${String(code)}: ${running.output().slice(-500)}`]
    },
    async close() {
      await running.kill()
      await closeReceiver()
      await db.close()
      await serviceData.remove()
    },
  }
}

/** Polls until a value is there; null after some seconds. */
export async function poll<T>(read: () => Promise<T | null>, maxMs = 10_000): Promise<T | null> {
  for (let waitedMs = 0; waitedMs < maxMs; waitedMs += pollMs) {
    const value = await read()
    if (value !== null) return value
    await pause(pollMs)
  }
  return null
}

/** The result of a call that has to succeed. */
export function resultOf(outcome: CallOutcome): Readonly<Record<string, unknown>> {
  if (outcome.kind === 'result') return outcome.result
  throw new Error(`a call that prepares a case was refused: ${JSON.stringify(outcome)}`)
}

/** Another id in the same bucket, of the same second. */
export function drawIdBeside(id: string): string {
  return `${id.slice(0, 12)}${randomBytes(6).toString('hex').replaceAll(/[0-9]/g, 'a')}`
}

async function startEventReceiver(): Promise<{ receiver: EventReceiver; close: () => Promise<void> }> {
  const deliveredIds: string[] = []
  const server = createServer((request, reply) => {
    request.resume().on('end', () => {
      if (!receiver.isFailing) deliveredIds.push(String(request.headers['webhook-id']))
      reply.writeHead(receiver.isFailing ? 500 : 200).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`, deliveredIds, isFailing: false }
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { receiver, close }
}

function sumOf(metrics: string): number {
  return [...metrics.matchAll(/^tessera_rows_refused_total(?:\{[^}]*\})? (\d+)$/gm)].reduce((sum, [, value]) => sum + Number(value), 0)
}

const pollMs = 50
const maxAlarmMs = 3000
