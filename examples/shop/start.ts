// `npm run example:shop`: starts Tessera in its test environment together with the shop. --help lists the options.
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

  --port <n>        the port of the shop; default 8070, 0 for a free one
  --data <folder>   stores all data there and continues with it next time; default: nothing is left`
const root = fileURLToPath(new URL('../..', import.meta.url))
const { port, data: dataFolder } = readOptions()
const folder = dataFolder === undefined ? mkdtempSync(join(tmpdir(), 'tessera-shop-')) : resolve(dataFolder)
mkdirSync(folder, { recursive: true, mode: 0o700 })
const tesseraOptions = ['--env=test', `--data=${join(folder, 'tessera')}`]

const child = spawn(
  process.execPath,
  ['service/bin/tessera.mjs', 'start', '--json', '--port=0', '--admin-port=0', '--log-level=warn', ...tesseraOptions],
  {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    // In its own process group: Ctrl-C reaches only this program, which stops both in order.
    detached: true,
  },
)
const ended = new Promise<number | null>((done) => child.once('exit', done))
const stopRequested = Promise.withResolvers<null>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopRequested.resolve(null))

const ready = await Promise.race([readReady(child), ended.then(() => null), stopRequested.promise])
const shop = ready === null ? null : await open(ready).catch((err: unknown) => (console.error(describeError(err)), null))
if (shop !== null) {
  console.log(welcome(shop.origin, ready?.url ?? ''))
  const end = await Promise.race([stopRequested.promise, ended.then(() => 'Tessera stopped unexpectedly. Its output is above.')])
  if (end !== null) reportFailure(end)
} else if (child.exitCode === null) process.exitCode = 1
await shop?.close()
if (child.exitCode === null) child.kill('SIGTERM')
if ((await ended) !== 0) process.exitCode = 1
if (dataFolder === undefined) rmSync(folder, { recursive: true, force: true })
console.log(dataFolder === undefined ? 'Both have stopped, and nothing is left.' : `Both have stopped. All data is in ${folder}.`)

interface ReadyMessage {
  readonly url: string
  readonly demo: { readonly merchantId: string; readonly password: string }
}

async function open({ url, demo }: ReadyMessage): Promise<{ origin: string; close: () => Promise<void> }> {
  const server = createServer()
  await new Promise<void>((done, fail) => server.once('error', fail).listen(port, '127.0.0.1', done))
  const address = server.address()
  const origin = `http://localhost:${typeof address === 'object' && address !== null ? address.port : port}`
  // A real shop puts version and hash into its configuration when it adopts a version, and never reads them at run time.
  const { version, files } = (await (await fetch(`${url}/sdk/v1/integrity.json`)).json()) as SdkManifest
  const shop = openShop({
    url,
    ...demo,
    formOrigin: url,
    shopOrigin: origin,
    providerName: 'Tessera',
    isTestMode: true,
    sdkUrl: `${url}/sdk/${version}/tessera.js`,
    sdkIntegrity: files['tessera.js'] ?? '',
    secrets: [await subscribeToEvents(`${origin}/webhooks`.replace('localhost', '127.0.0.1'))],
    records: join(folder, 'shop', 'records.json'),
  })
  // The name that the card form shows.
  await runTessera('merchants', 'set', demo.merchantId, '--name=Novvot')
  server.on('request', shop.handleRequest)
  return {
    origin,
    async close() {
      shop.close()
      const closed = new Promise((done) => server.close(done))
      server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), 15_000)
      await closed
      clearTimeout(timer)
    },
  }
}

interface SdkManifest {
  readonly version: string
  readonly files: Readonly<Record<string, string>>
}

/** Registers the shop's webhook endpoint, and returns the secret that signs its deliveries. */
async function subscribeToEvents(to: string): Promise<string> {
  const { endpoints } = (await runTessera('webhooks', 'list')) as { endpoints: { url: string }[] }
  const isRegistered = endpoints.some(({ url }) => url === to)
  const { secret } = (await runTessera('webhooks', isRegistered ? 'rotate-secret' : 'add', `--url=${to}`)) as { secret: string }
  return secret
}

async function runTessera(...args: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, ['service/bin/tessera.mjs', ...args, '--json', ...tesseraOptions], {
    cwd: root,
  })
  return JSON.parse(stdout)
}

/** With `--json`, the service prints one line when it is ready. */
function readReady({ stdout }: ChildProcess): Promise<ReadyMessage> {
  return new Promise((done) => {
    if (stdout === null) return
    createInterface({ input: stdout }).on('line', (line) => {
      const { ready: message } = JSON.parse(line) as { ready?: ReadyMessage }
      if (message !== undefined) done(message)
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
    if (values.help) exitWith(usage, 0)
    if (!/^[0-9]{1,5}$/.test(values.port) || Number(values.port) > 65_535)
      exitWith('--port must be a number from 0 to 65535; 0 chooses a free port.', 64)
    return { port: Number(values.port), data: values.data }
  } catch (err) {
    return exitWith(`${err instanceof Error ? err.message : String(err)}\n\n${usage}`, 64)
  }
}

/** Ends the program before anything is started. */
function exitWith(text: string, code: number): never {
  ;(code === 0 ? console.log : console.error)(text)
  process.exit(code)
}

function describeError(err: unknown): string {
  const isTaken = err instanceof Error && 'code' in err && err.code === 'EADDRINUSE'
  return isTaken ? `Port ${port} is in use. Choose a free one: npm run example:shop -- --port 0` : String(err)
}

function reportFailure(text: string): void {
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
    8600 0609 2109 0842   SMS notifications are not enabled
    3333 3364 1580 4657   expired
    4444 4459 8745 9073   blocked
    8600 1434 1777 0323   the bank fails
    8600 1343 0184 9596   the bank fails after ten seconds

  To make a payment fail:
    npm run -s tessera -- sandbox step network insufficient_funds --data ${join(folder, 'tessera')}

  Ctrl-C stops both${dataFolder === undefined ? ' and deletes their data' : ''}.
`
}
