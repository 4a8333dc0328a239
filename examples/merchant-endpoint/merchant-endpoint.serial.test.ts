// time limit: 120 s
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { after, before, test } from 'node:test'

import { saveCard } from '../../client/src/save-card.fixture.ts'
import { awaitWithin } from '../../tools/await-within.ts'
import { startTessera, type StartedTessera } from '../../tools/start-tessera.ts'

// The example as a merchant starts it, and the service with its command line.

const root = fileURLToPath(new URL('../..', import.meta.url))
let started: StartedTessera
let shop: ChildProcess
let shopUrl: string
const calls: string[] = []

before(async () => {
  started = await startTessera()
  const env = { ...process.env, MERCHANT_KEY: 'a:key', PORT: '0' }
  shop = spawn(process.execPath, ['examples/merchant-endpoint/merchant-endpoint.ts', '197=500000', '198=500000'], { cwd: root, env })
  const lines = createInterface({ input: shop.stdout ?? assert.fail() })
  const firstLine = new Promise<string>((resolve) => lines.once('line', resolve))
  shopUrl = /http:\S+/.exec(await awaitWithin(firstLine, 'the first line of the example'))?.[0] ?? ''
  lines.on('line', (line) => calls.push(line.split(' ')[0] ?? ''))
})
after(async () => {
  shop.kill()
  await once(shop, 'exit')
  await started.stop()
})

async function runTessera(args: string[], stdin = ''): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, ['service/bin/tessera.mjs', ...args, `--data=${started.folder}`], { cwd: root })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  child.stdin.end(stdin)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, text }
}

async function call(method: string, params: object): Promise<{ result?: { receipt: { _id: string; state: number } }; error?: CallError }> {
  const { url, merchantId, password } = started
  const body = JSON.stringify({ id: 1, method, params })
  const response = await fetch(`${url}/api/${method}`, { method: 'POST', headers: { 'x-auth': `${merchantId}:${password}` }, body })
  return (await response.json()) as Awaited<ReturnType<typeof call>>
}

interface CallError {
  readonly code: number
  readonly reason: string
  readonly data?: { readonly code: number; readonly message: { readonly uz: string } }
}

async function pay(orderId: string): ReturnType<typeof call> {
  const token = await saveCard(started, '8600069195406311')
  const created = await call('receipts.create', { amount: 500_000, account: { order_id: orderId } })
  return call('receipts.pay', { id: created.result?.receipt._id, token })
}

test('an endpoint is set, tested, called for each payment, and removed', async () => {
  const endpointCommand = ['merchants', 'endpoint']
  const { merchantId } = started
  const invalid = await runTessera([...endpointCommand, 'set', merchantId, '--url', 'http://10.0.0.1/', '--password-file', '-'], 'a:key\n')
  assert.notEqual(invalid.code, 0)
  const set = await runTessera([...endpointCommand, 'set', merchantId, '--url', shopUrl, '--password-file', '-'], 'a:key\n')
  assert.equal(set.code, 0, set.text)
  const tested = await runTessera([...endpointCommand, 'test', merchantId, '--sum', '500000', '--account', 'order_id=197'])
  assert.deepEqual([tested.code, tested.text], [0, 'The merchant would accept this payment.\n'])
  const refused = await runTessera([...endpointCommand, 'test', merchantId, '--sum', '1', '--account', 'order_id=197'])
  assert.equal(refused.code, 1)
  assert.match(refused.text, /-31001/)
  const details = await runTessera(['merchants', 'show', merchantId])
  assert.ok(details.text.includes(shopUrl) && !details.text.includes('a:key'))

  calls.length = 0
  assert.equal((await pay('197')).result?.receipt.state, 4)
  assert.deepEqual(calls, ['CheckPerformTransaction', 'CreateTransaction', 'PerformTransaction'])
  const { error } = await pay('404')
  assert.deepEqual([error?.code, error?.data?.code, error?.data?.message.uz], [-31623, -31050, 'Buyurtma topilmadi'])

  assert.equal((await runTessera([...endpointCommand, 'remove', merchantId])).code, 0)
  calls.length = 0
  assert.equal((await pay('404')).result?.receipt.state, 4)
  assert.deepEqual(calls, [])
})
