// `npm run example:shop`: Tessera in its test environment and the shop, together. --help says with which options.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'

import { openShop } from './shop.ts'

const usage = `npm run example:shop -- [options]

Tessera in its test environment and the shop, together, until Ctrl-C.

  --port <n>        where the shop is; 8070, 0 for a free one
  --data <folder>   everything is kept there, and gone on with the next time; without it nothing is left`
const root = fileURLToPath(new URL('../..', import.meta.url))
const { port, data: given } = readOptions()
const folder = given === undefined ? mkdtempSync(join(tmpdir(), 'tessera-shop-')) : resolve(given)
mkdirSync(folder, { recursive: true, mode: 0o700 })
const places = ['--env=test', `--data=${join(folder, 'tessera')}`]

const child = spawn(
  process.execPath,
  ['service/bin/tessera.mjs', 'start', '--json', '--port=0', '--admin-port=0', '--log-level=warn', ...places],
  {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    // In a group of its own: Ctrl-C in a terminal reaches this program alone, and it stops both in order.
    detached: true,
  },
)
const ended = new Promise<number | null>((done) => child.once('exit', done))
const asked = Promise.withResolvers<null>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => asked.resolve(null))

const ready = await Promise.race([readReady(child), ended.then(() => null), asked.promise])
const shop = ready === null ? null : await open(ready).catch((err: unknown) => (console.error(sayWhy(err)), null))
if (shop !== null) {
  console.log(welcome(shop.origin, ready?.url ?? ''))
  const end = await Promise.race([asked.promise, ended.then(() => 'Tessera ended by itself: what it said is above.')])
  if (end !== null) stopWith(end)
} else if (child.exitCode === null) process.exitCode = 1
await shop?.close()
if (child.exitCode === null) child.kill('SIGTERM')
if ((await ended) !== 0) process.exitCode = 1
if (given === undefined) rmSync(folder, { recursive: true, force: true })
console.log(given === undefined ? 'Both are stopped, and nothing is left.' : `Both are stopped. Everything is kept in ${folder}.`)

interface Ready {
  readonly url: string
  readonly demo: { readonly merchantId: string; readonly password: string }
}

async function open({ url, demo }: Ready): Promise<{ origin: string; close: () => Promise<void> }> {
  const server = createServer()
  await new Promise<void>((done, fail) => server.once('error', fail).listen(port, '127.0.0.1', done))
  const at = server.address()
  const origin = `http://localhost:${typeof at === 'object' && at !== null ? at.port : port}`
  // A shop in earnest writes version and integrity into its configuration when it takes a version on, and never asks while it runs.
  const { version, files } = (await (await fetch(`${url}/sdk/v1/integrity.json`)).json()) as Sdk
  const shop = openShop({
    ...{ url, ...demo, formOrigin: url, shopOrigin: origin, providerName: 'Tessera', rehearses: true },
    sdkUrl: `${url}/sdk/${version}/tessera.js`,
    sdkIntegrity: files['tessera.js'] ?? '',
    secrets: [await takeEvents(`${origin}/webhooks`.replace('localhost', '127.0.0.1'))],
    records: join(folder, 'shop', 'records.json'),
  })
  // As the card form names it.
  await tell('merchants', 'set', demo.merchantId, '--name=Novvot')
  server.on('request', shop.answer)
  return {
    origin,
    async close() {
      shop.close()
      const closed = new Promise((done) => server.close(done))
      server.closeIdleConnections()
      const late = setTimeout(() => server.closeAllConnections(), 15_000)
      await closed
      clearTimeout(late)
    },
  }
}

interface Sdk {
  readonly version: string
  readonly files: Readonly<Record<string, string>>
}

/** Has events delivered to the shop, and gives the secret that signs them. */
async function takeEvents(to: string): Promise<string> {
  const { endpoints } = (await tell('webhooks', 'list')) as { endpoints: { url: string }[] }
  const isThere = endpoints.some(({ url }) => url === to)
  const { secret } = (await tell('webhooks', isThere ? 'rotate-secret' : 'add', `--url=${to}`)) as { secret: string }
  return secret
}

async function tell(...words: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, ['service/bin/tessera.mjs', ...words, '--json', ...places], { cwd: root })
  return JSON.parse(stdout)
}

/** `--json` prints one line when the service is ready. */
function readReady({ stdout }: ChildProcess): Promise<Ready> {
  return new Promise((done) => {
    if (stdout === null) return
    createInterface({ input: stdout }).on('line', (line) => {
      const { ready: told } = JSON.parse(line) as { ready?: Ready }
      if (told !== undefined) done(told)
    })
  })
}

function readOptions(): { port: number; data: string | undefined } {
  const options = {
    port: { type: 'string', default: '8070' },
    data: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const
  try {
    const { values } = parseArgs({ options })
    if (values.help) leave(usage, 0)
    if (!/^[0-9]{1,5}$/.test(values.port) || Number(values.port) > 65_535)
      leave('--port is a number from 0 to 65535, 0 for a free one.', 64)
    return { port: Number(values.port), data: values.data }
  } catch (err) {
    return leave(`${err instanceof Error ? err.message : String(err)}\n\n${usage}`, 64)
  }
}

/** Before anything is started. */
function leave(text: string, code: number): never {
  ;(code === 0 ? console.log : console.error)(text)
  process.exit(code)
}

function sayWhy(err: unknown): string {
  const isTaken = err instanceof Error && 'code' in err && err.code === 'EADDRINUSE'
  return isTaken ? `Something else listens on port ${port}: say npm run example:shop -- --port 0` : String(err)
}

function stopWith(text: string): void {
  console.error(text)
  process.exitCode = 1
}

function welcome(shopOrigin: string, url: string): string {
  return `
  The shop      ${shopOrigin}
  Tessera       ${url} (test environment; the card form and the API)
  Dashboard     ${url.replace('127.0.0.1', 'localhost')}/dashboard · phone 998900000000, password sandbox

  Test cards, all 03/99, SMS code 666666
    8600 0691 9540 6311   paid
    8600 4954 7331 6478   paid
    8600 0609 2109 0842   SMS notices are not connected
    3333 3364 1580 4657   expired
    4444 4459 8745 9073   blocked
    8600 1434 1777 0323   the bank fails
    8600 1343 0184 9596   the bank fails after ten seconds

  To have a payment refused:
    npm run -s tessera -- sandbox step network insufficient_funds --data ${join(folder, 'tessera')}

  Ctrl-C stops both${given === undefined ? ' and removes what they kept' : ''}.
`
}
