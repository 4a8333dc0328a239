import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'

import { findOnPath } from '../../../../tools/find-program.ts'
import { findFreePort } from '../../../../tools/free-port.ts'
import type { RunningInfo } from '../../app/lifecycle.ts'
import { until } from '../../testing/child.fixture.ts'

import { monitoringFolder } from './monitoring.fixture.ts'

/** Runs promtool in the folder of the rules. */
export function runPromtool(
  args: readonly string[],
  { cwd = monitoringFolder, input = '' } = {},
): { readonly code: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(requireProgram('promtool'), args, { cwd, input, encoding: 'utf8', timeout: 180_000 })
  return { code: status, output: `${stdout}${stderr}` }
}

/** A real Prometheus that scrapes admin ports every second, with the shipped rules made quick. */
export interface RunningPrometheus {
  /** How many samples a query has now. */
  count(query: string): Promise<number>
  /** The names of the alerts that fire now. */
  firing(): Promise<string[]>
  stop(): Promise<void>
}

/** What it scrapes, by `host:port`. */
export interface ScrapeTargets {
  readonly services: readonly string[]
  /** The metrics of a canary. */
  readonly canary?: string
}

/**
 * Starts it. Every `for` is a second and every range six, so that a test of seconds does what takes minutes in use; bounds and expressions stay as they
 * are shipped, but for those that are times of their own (`quicken`).
 */
export async function startPrometheus(folder: string, { services, canary }: ScrapeTargets): Promise<RunningPrometheus> {
  mkdirSync(folder)
  const rules = readFileSync(join(monitoringFolder, 'tessera.rules.yml'), 'utf8')
  writeFileSync(join(folder, 'tessera.rules.yml'), quicken(rules))
  const shipped = readFileSync(join(monitoringFolder, 'prometheus.yml'), 'utf8')
  const config = shipped.replace("'127.0.0.1:8081'", services.map((service) => `'${service}'`).join(', '))
  assert.notEqual(config, shipped)
  const job = canary === undefined ? '' : `  - job_name: tessera-canary\n    static_configs:\n      - targets: ['${canary}']\n`
  writeFileSync(
    join(folder, 'prometheus.yml'),
    `global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }\n${config}\n${job}`,
  )
  const port = await findFreePort()
  const url = `http://127.0.0.1:${String(port)}`
  const args = [
    '--config.file=prometheus.yml',
    '--storage.tsdb.path=data',
    `--web.listen-address=127.0.0.1:${String(port)}`,
    '--log.level=warn',
  ]
  const child = spawn(requireProgram('prometheus'), args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  await until(async () => {
    assert.equal(child.exitCode, null, output)
    return fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  }, 'Prometheus to be ready')

  return {
    async count(query) {
      const reply = await fetch(`${url}/api/v1/query`, { method: 'POST', body: new URLSearchParams({ query }) })
      const text = await reply.text()
      assert.ok(reply.ok, `${query}: ${text}`)
      return (JSON.parse(text) as { data: { result: unknown[] } }).data.result.length
    },
    async firing() {
      const reply = (await (await fetch(`${url}/api/v1/alerts`)).json()) as {
        data: { alerts: { state: string; labels: { alertname: string } }[] }
      }
      return reply.data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)
    },
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

/** Waits for alerts to fire and to end; `provoked` has those that have done both. */
export function watchAlerts(prometheus: () => RunningPrometheus) {
  const fired = new Set<string>()
  const provoked = new Set<string>()
  return { provoked, fires, ends }

  /** All of them have fired since the call, not necessarily together. */
  async function fires(...names: readonly string[]): Promise<void> {
    const seen = new Set<string>()
    const look = async (): Promise<boolean> => {
      for (const name of await prometheus().firing()) seen.add(name)
      return names.every((name) => seen.has(name))
    }
    await until(look, `${names.join(', ')} to fire`).catch((err: unknown) => assert.fail(`${String(err)}; fired: ${[...seen].join(' ')}`))
    for (const name of names) fired.add(name)
  }

  async function ends(...names: readonly string[]): Promise<void> {
    let left: readonly string[] = []
    const look = async (): Promise<boolean> => {
      const firing = await prometheus().firing()
      left = names.filter((name) => firing.includes(name))
      return left.length === 0
    }
    await until(look, `${names.join(', ')} to end`).catch((err: unknown) => assert.fail(`${String(err)}; left: ${left.join(' ')}`))
    for (const name of names) {
      assert.ok(fired.has(name), `${name} has not fired`)
      provoked.add(name)
    }
  }
}

/** Repeats a call, `width` side by side, while something is waited for. */
export async function whileCalling(each: () => Promise<unknown>, width: number, wait: () => Promise<void>): Promise<void> {
  let isOver = false
  const loop = async (): Promise<void> => {
    for (let count = 0; !isOver && count < 10_000; count++) await each()
  }
  const loops = Promise.all(Array.from({ length: width }, loop))
  await wait().finally(() => (isOver = true))
  await loops
}

/** A canary makes a round every ten seconds at most; three starts take longer than six seconds. */
function quicken(rules: string): string {
  return rules
    .replace('tessera_canary_last_success_timestamp_seconds > 900', 'tessera_canary_last_success_timestamp_seconds > 15')
    .replace(/(changes\(process_start_time_seconds\{.*\}\[)15m\]/, (_, before: string) => `${before}30s]`)
    .replaceAll(/^( +for:) .*$/gm, '$1 1s')
    .replaceAll(/\[\d+[mh]\]/g, '[6s]')
    .replaceAll(/offset \d+m/g, 'offset 6s')
}

function requireProgram(name: string): string {
  return findOnPath(name) ?? assert.fail(`${name} is missing: npm run peers installs it`)
}

/** For so long `tessera_event_loop_lag_seconds` has a stall, such as one of a machine that does much else: two minutes, and room for a scrape. */
export const stallSeenSeconds = 140

/** What does not happen in this service, or need not: an overload while rows are locked; no limits are on, no SMS report, no endpoint of a merchant, no job that fails. */
export const mayBeEmpty: readonly string[] = [
  'tessera_overload_refusal_delay_seconds_count',
  'tessera_limits_reached_total',
  'tessera_peer_refusals_total',
  'tessera_sms_deliveries_total',
  'tessera_merchant_endpoint_calls_total',
  'tessera_job_runs_total',
]

interface TlsReply {
  readonly result?: { readonly card?: { readonly token: string }; readonly receipt?: { readonly _id: string } }
  readonly error?: { readonly reason: string }
}

interface TlsPost {
  readonly port: number
  /** Certificates of the authority, PEM. The name in the certificate may be another one. */
  readonly ca: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

/** Sends one JSON-RPC request to a service on this machine over TLS. An empty reply is an empty object. */
export function postOverTls({ port, ca, path, headers, body }: TlsPost): Promise<TlsReply> {
  const options = { host: '127.0.0.1', port, ca, checkServerIdentity: () => undefined }
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, method: 'POST', path, headers: { 'content-type': 'application/json', ...headers } }, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      reply.once('end', () => resolve(JSON.parse(text === '' ? '{}' : text) as TlsReply)).once('error', reject)
    })
    sent.once('error', reject).end(JSON.stringify(body))
  })
}

/** Calls an operation of the dashboard, and returns its result. An error fails the test. */
export type DashboardCaller = (method: string, params: object) => Promise<unknown>

/** Signs in to the dashboard of the demo merchant. */
export async function signInAsDemoMerchant({ url, demo }: Pick<RunningInfo, 'url' | 'demo'>): Promise<DashboardCaller> {
  const origin = url.replace('127.0.0.1', 'localhost')
  const headers: Record<string, string> = { 'content-type': 'application/json', origin, 'sec-fetch-site': 'same-origin' }
  const { dashboardPhone: phone, dashboardPassword: password } = demo ?? assert.fail('there is no demo merchant')
  const { cookies } = await call('dashboard.session.signIn', { phone, password })
  headers['cookie'] = cookies[0]?.split(';')[0] ?? ''
  const { result } = await call('dashboard.session.get', {})
  headers['x-tessera-csrf'] = (result as { session: { csrf: string } | null }).session?.csrf ?? ''
  return async (method, params) => (await call(method, params)).result

  async function call(method: string, params: object): Promise<{ result: unknown; cookies: string[] }> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(`${origin}/dashboard/api`, { method: 'POST', headers, body })
    const { result, error } = (await response.json()) as { result?: unknown; error?: object }
    assert.equal(error, undefined, JSON.stringify(error))
    return { result, cookies: response.headers.getSetCookie() }
  }
}
