// needs: nginx, caddy, haproxy
// time limit: 300 s
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request, type RequestOptions } from 'node:https'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { findOnPath } from '../../../tools/find-program.ts'
import { findFreePort } from '../../../tools/free-port.ts'
import { makeAuthority } from '../adapters/http/certificate.fixture.ts'
import type { RunningInfo } from '../app/lifecycle.ts'
import { makeScratch, runTessera, until, type Child } from '../testing/child.fixture.ts'

// The configurations of docs/operating/behind-a-proxy.md, with the real proxies in front of two real services.

const root = join(import.meta.dirname, '../../..')
const scratch = makeScratch()
const page = readFileSync(join(root, 'docs/operating/behind-a-proxy.md'), 'utf8')
const hosts = { form: 'pay.example.uz', dashboard: 'merchants.example.uz' }
const adminPort = await findFreePort()
const adminToken = 't'.repeat(40)
const publicAuthority = makeAuthority('a public authority')
const ownAuthority = makeAuthority('an authority of our own')
const publicCertificate = publicAuthority.certify(hosts.form, 30, { others: [hosts.dashboard] })
const ownCertificate = ownAuthority.certify('tessera.internal', 30)
const files = join(scratch, 'files')
mkdirSync(files)
writeFileSync(join(files, 'fullchain.pem'), publicCertificate.cert)
writeFileSync(join(files, 'key.pem'), publicCertificate.key)
writeFileSync(join(files, 'all.pem'), publicCertificate.cert + publicCertificate.key)
writeFileSync(join(files, 'internal-ca.pem'), ownAuthority.cert)
writeFileSync(join(files, 'own.pem'), ownCertificate.cert)
writeFileSync(join(files, 'own-key.pem'), ownCertificate.key, { mode: 0o600 })
writeFileSync(join(files, 'token'), `${adminToken}\n`, { mode: 0o600 })

interface Proxy {
  readonly language: 'nginx' | 'caddy' | 'haproxy'
  /** What of the page differs here, besides where the services are: the port. */
  readonly replace: (port: number) => readonly (readonly [string, string])[]
  /** Writes the configuration, and returns the command line. */
  readonly prepare: (folder: string, config: string) => readonly string[]
}

interface Service extends Child {
  readonly port: string
  readonly facts: RunningInfo
}

const proxies: readonly Proxy[] = [
  {
    language: 'nginx',
    replace: (port) => [['listen 443 ssl', `listen ${String(port)} ssl`]],
    prepare: (folder, config) => {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${join(folder, name)};`)
      const around = `daemon off; master_process off; pid ${join(folder, 'pid')}; events {} http { access_log off; ${temporary.join(' ')}\n${config}\n}`
      writeFileSync(join(folder, 'nginx.conf'), around)
      return ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')]
    },
  },
  {
    language: 'caddy',
    replace: (port) => [
      ['pay.example.uz, merchants.example.uz {', `pay.example.uz:${String(port)}, merchants.example.uz:${String(port)} {`],
      ['health_port 8081', `health_port ${String(adminPort)}`],
    ],
    prepare: (folder, config) => {
      writeFileSync(join(folder, 'Caddyfile'), config)
      return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')]
    },
  },
  {
    language: 'haproxy',
    replace: (port) => [
      ['bind :443', `bind :${String(port)}`],
      ['10.0.0.11:8443 port 8081', `10.0.0.11:8443 port ${String(adminPort)}`],
      ['10.0.0.12:8443 port 8081', `10.0.0.12:8443 port ${String(adminPort)}`],
    ],
    prepare: (folder, config) => {
      writeFileSync(join(folder, 'haproxy.cfg'), config)
      return ['-db', '-f', join(folder, 'haproxy.cfg')]
    },
  },
]

for (const proxy of proxies) {
  describe(proxy.language, () => {
    let started: Awaited<ReturnType<typeof start>>
    before(async () => (started = await start(proxy)))
    after(() => started.stop())

    test('form and dashboard are reached under their names by TLS 1.2 and 1.3, with their headers once', async () => {
      const { send } = started
      const [form, dashboard] = [await send({ path: '/form/reasons' }), await send({ path: '/dashboard', host: hosts.dashboard })]
      assert.deepEqual([form.status, dashboard.status], [200, 200])
      assert.match((await send({ path: '/dashboard' })).text, /href="https:\/\/merchants\.example\.uz\/dashboard"/)
      assert.equal(form.headers['strict-transport-security'], 'max-age=31536000')
      assert.equal((await send({ path: '/form/reasons', host: hosts.dashboard })).status, 404)
      assert.equal((await send({ path: '/form/reasons', maxVersion: 'TLSv1.2' })).status, 200)
      const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
      await assert.rejects(send({ path: '/form/reasons', ...old }))
    })

    test('each client is limited by its own address, and a header that a client writes itself changes nothing', async () => {
      const { services, createCard } = started
      // Each service counts on its own, and the proxy may draw one by chance: enough calls for both to be over the limit.
      const reasons = []
      for (let card = 1; card <= 30 * services.length; card++)
        reasons.push(
          await createCard('127.0.0.2', { 'x-forwarded-for': `203.0.113.${String(card)}`, forwarded: `for=203.0.113.${String(card)}` }),
        )
      assert.ok(
        reasons.slice(0, 10).every((reason) => reason === undefined),
        reasons.join(' '),
      )
      assert.ok(
        reasons.slice(-2).every((reason) => reason === 'address_limit'),
        reasons.join(' '),
      )
      assert.equal(reasons.filter((reason) => reason === undefined).length, 10 * services.length, reasons.join(' '))
      assert.equal(await createCard('127.0.0.3'), undefined)
    })

    test('a body of 64 KiB passes and is written to no file; a longer one is refused', async () => {
      const { send, folder } = started
      const body = (bytes: number): string => '{"id":1,"method":"rpc.discover"}'.padEnd(bytes)
      const whole = await send({ path: '/api', method: 'POST', body: body(65_536) })
      assert.match(whole.text, /"result"/)
      assert.equal((await send({ path: '/api', method: 'POST', body: body(65_537) })).status, 413)
      if (proxy.language === 'nginx') assert.doesNotMatch(readFileSync(join(folder, 'error.log'), 'utf8'), /buffered to a temporary file/)
    })

    test('no call fails while one of the services is stopped', async () => {
      const { send, services } = started
      const ended = services[0].ended
      let isEnded = false
      void ended.then(() => (isEnded = true))
      const statuses = new Map<string, number>()
      const callUntilEnd = async (): Promise<void> => {
        let callsAfter = 0
        while (callsAfter < 20) {
          if (isEnded) callsAfter++
          const outcome = await send({ path: '/api', method: 'POST', body: '{"id":1,"method":"rpc.discover"}' }).then(
            ({ status, text }) => (status === 200 && text.startsWith('{"jsonrpc"') ? 'reply' : `${String(status)} ${text.slice(0, 100)}`),
            (err: unknown) => String(err),
          )
          statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1)
        }
      }
      const load = Array.from({ length: 4 }, callUntilEnd)
      services[0].kill('SIGTERM')
      await Promise.all(load)
      assert.deepEqual([...statuses.keys()], ['reply'], JSON.stringify([...statuses]))
    })
  })
}

async function start(proxy: Proxy) {
  const services = await Promise.all([startService(proxy, '127.0.0.11'), startService(proxy, '127.0.0.12')])
  const folder = join(scratch, proxy.language)
  mkdirSync(folder)
  const port = await findFreePort()
  const program = findOnPath(proxy.language) ?? assert.fail(`${proxy.language} is missing: npm run peers installs it`)
  const args = proxy.prepare(folder, configOf(proxy, port, services))
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, TESSERA_ADMIN_TOKEN: adminToken }
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const agents = new Map<string, Agent>()
  const send = (options: SendOptions): Promise<ProxyReply> => sendTo(port, agents, options)
  for (let attempt = 0; !(await isReady()); attempt++) {
    if (attempt > 200 || child.exitCode !== null) assert.fail(`${proxy.language} did not start: ${output}`)
    await pause(100)
  }
  return {
    folder,
    services,
    send,
    async createCard(localAddress: string, headers: Readonly<Record<string, string>> = {}): Promise<string | undefined> {
      const { demo } = services[0].facts
      const params = { card: { number: '8600069195406311', expire: '0399' } }
      const auth = { 'content-type': 'application/json', 'x-auth': `${demo?.merchantId ?? ''}:${demo?.password ?? ''}` }
      const body = JSON.stringify({ id: 1, method: 'cards.create', params })
      const { text } = await send({ path: '/api', method: 'POST', headers: { ...auth, ...headers }, body, localAddress })
      return (JSON.parse(text) as { error?: { reason: string } }).error?.reason
    },
    async stop() {
      for (const agent of agents.values()) agent.destroy()
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      for (const service of services) service.kill('SIGTERM')
      await Promise.all(services.map((service) => service.ended))
    },
  }

  async function isReady(): Promise<boolean> {
    return send({ path: '/form/reasons' }).then(
      ({ status }) => status === 200,
      () => false,
    )
  }
}

/** The configuration on the page, with the ports and paths of this test. */
function configOf({ language, replace }: Proxy, port: number, services: readonly Service[]): string {
  const [, text] =
    new RegExp(`\`\`\`${language}\n([^]*?)\n\`\`\``).exec(page) ?? assert.fail(`the page has no configuration of ${language}`)
  let config = text ?? ''
  const places = services.map(({ port: own }, i) => [`10.0.0.1${String(i + 1)}:8443`, `127.0.0.1${String(i + 1)}:${own}`] as const)
  for (const [from, to] of [...replace(port), ...places]) {
    assert.equal(config.split(from).length, 2, `the page has "${from}" once`)
    config = config.replace(from, to)
  }
  return `${config.replaceAll('/etc/tessera-proxy', files)}\n`
}

async function startService({ language }: Proxy, address: string): Promise<Service> {
  const child = runTessera([
    'start',
    '--json',
    '--port=0',
    `--admin-port=${String(adminPort)}`,
    `--host=${address}`,
    `--admin-host=${address}`,
    `--data=${join(scratch, `${language}-${address}`)}`,
    '--limits=on',
    '--trusted-proxies=127.0.0.1',
    `--form-origin=https://${hosts.form}`,
    `--dashboard-origin=https://${hosts.dashboard}`,
    `--tls-cert-file=${join(files, 'own.pem')}`,
    `--tls-key-file=${join(files, 'own-key.pem')}`,
    `--admin-tls-certificate=${join(files, 'own.pem')}`,
    `--admin-tls-key=${join(files, 'own-key.pem')}`,
    `--admin-token-file=${join(files, 'token')}`,
    '--lame-duck-seconds=6',
  ])
  let isEnded = false
  void child.ended.then(() => (isEnded = true))
  await until(() => isEnded || child.out().includes('\n'), 'the service to be ready')
  const { ready } = JSON.parse(child.out()) as { ready?: RunningInfo }
  if (ready === undefined) assert.fail(child.out())
  return { ...child, facts: ready, port: new URL(ready.url).port }
}

interface SendOptions extends Pick<RequestOptions, 'method' | 'localAddress' | 'minVersion' | 'maxVersion' | 'ciphers'> {
  readonly path: string
  readonly host?: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

interface ProxyReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** Sends a request through the proxy. Connections are kept per client and version of TLS, as clients do. */
function sendTo(
  port: number,
  agents: Map<string, Agent>,
  { host = hosts.form, body, headers = {}, ...options }: SendOptions,
): Promise<ProxyReply> {
  const { localAddress, minVersion, maxVersion, ciphers } = options
  const key = JSON.stringify([host, localAddress, maxVersion])
  const agent = agents.get(key) ?? new Agent({ keepAlive: true })
  agents.set(key, agent)
  const tls = {
    servername: host,
    ca: publicAuthority.cert,
    ...(minVersion === undefined ? {} : { minVersion }),
    ...(maxVersion === undefined ? {} : { maxVersion }),
    ...(ciphers === undefined ? {} : { ciphers }),
  }
  const { method = 'GET', path } = options
  const local = localAddress === undefined ? {} : { localAddress }
  return new Promise((resolve, reject) => {
    const sent = request({ ...tls, ...local, host: '127.0.0.1', port, agent, method, path, headers: { host, ...headers } }, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      reply.once('error', reject).once('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text }))
    })
    sent.once('error', reject).end(body)
  })
}
