// runs alone: it compares memory
// runs once: a card number that stays in memory once in many is what it looks for
import assert from 'node:assert/strict'
import { fork, type ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ConnectionOptions } from 'node:tls'

import { awaitWithin } from '../../../../tools/await-within.ts'
import { scanMemory } from '../../../../tools/scan-memory.ts'
import { makeAuthority } from '../../adapters/http/certificate.fixture.ts'
import { makeScratch, startTesseraChild } from '../../testing/child.fixture.ts'
import { makePan } from '../../testing/pans.fixture.ts'
import { openRaw, post, type RawClient } from '../../testing/raw.fixture.ts'

const numbers = 2000
const pans = Array.from({ length: numbers }, (_, i) => makePan('8600', i + 1000))
const sent: ReadonlySet<string> = new Set(pans)

for (const transport of ['plain http', 'TLS 1.3', 'TLS 1.2'] as const)
  test(`of 2,000 card numbers, sent one by one and in batches over ${transport}, the running service has none in memory after one more request of any length`, () =>
    sendAndSearch(transport))

async function sendAndSearch(transport: 'plain http' | 'TLS 1.3' | 'TLS 1.2'): Promise<void> {
  const tls = transport === 'plain http' ? null : issueCertificate()
  const service = await startTesseraChild(join(makeScratch(), 'data'), ['--log-level=debug', ...(tls?.flags ?? [])])
  const options = tls === null ? undefined : { ...tls.client, ...(transport === 'TLS 1.2' ? ({ maxVersion: 'TLSv1.2' } as const) : {}) }
  const clients = await openClients(Number(new URL(service.facts.url).port), options)
  const merchantId = service.facts.demo?.merchantId ?? ''
  const inBatches = pans.slice(numbers / 2)
  const replies = await sendAll(clients, merchantId, pans.slice(0, numbers / 2))
  for (let i = 0; i < inBatches.length; i += 20) replies.push(await sendBatch(clients[0]!, inBatches.slice(i, i + 20), merchantId))
  assert.equal(replies.join('').split('"token"').length - 1, numbers)
  // Shorter than a batch, and sent by another client, so that it overwrites next to nothing of the last one.
  await call(clients[1]!, 'rpc.discover', {}, '')
  assert.equal(scanMemory(service.facts.pid, sent).size, 0)
  await sendBatch(clients[1]!, pans.slice(0, 20), merchantId)
  await send(clients[0]!, '0'.repeat(16), merchantId)
  assert.equal(scanMemory(service.facts.pid, sent).size, 0)
  for (const { socket } of clients) socket.destroy()
  assert.equal((await service.stop()).code, 0)
}

test('what a request was received into is wiped, whether node reads it or not; the same search finds a whole batch where node’s buffer is not', async () => {
  assert.equal(await leftBy('direct'), 0)
  assert.equal(await leftBy('wipe'), 0)
  assert.equal(await leftBy('keep'), 20)

  async function leftBy(argument: string): Promise<number> {
    const child = fork(join(import.meta.dirname, '../../testing/receive.fixture.ts'), [argument])
    try {
      const clients = await openClients(await portOf(child))
      await sendAll(clients, '', pans.slice(0, 200))
      await sendBatch(clients[0]!, pans.slice(200, 220), '')
      await call(clients[1]!, 'rpc.discover', {}, '')
      for (const { socket } of clients) socket.destroy()
      return scanMemory(child.pid ?? 0, sent).size
    } finally {
      child.kill()
    }
  }
})

test('nor are there card numbers that were opened for the network, nor those of removed cards', async () => {
  const service = await startTesseraChild(join(makeScratch(), 'data'), ['--log-level=debug'])
  const clients = await openClients(Number(new URL(service.facts.url).port))
  const { merchantId = '', password = '' } = service.facts.demo ?? {}
  await forEach(clients, async (client, pan, i) => {
    const token = tokenIn(await send(client, pan, merchantId))
    assert.match(await call(client, 'cards.get_verify_code', { token }, merchantId), /"sms_not_connected"/)
    if (i % 2 === 0) assert.match(await call(client, 'cards.remove', { token }, `${merchantId}:${password}`), /"success":true/)
  })
  await call(clients[0]!, 'rpc.discover', {}, '')
  assert.equal(scanMemory(service.facts.pid, sent).size, 0)
  for (const { socket } of clients) socket.destroy()
  assert.equal((await service.stop()).code, 0)
})

test('the same search finds them in a server that reads its bodies with JSON.parse', async () => {
  const child = fork(join(import.meta.dirname, '../../testing/parse-naively.fixture.ts'))
  try {
    const clients = await openClients(await portOf(child))
    await sendAll(clients, '', pans)
    for (const { socket } of clients) socket.destroy()
    const left = scanMemory(child.pid ?? 0, sent)
    assert.ok(left.size > numbers / 10, `${left.size} of ${numbers}`)
  } finally {
    child.kill()
  }
})

async function openClients(port: number, tls?: ConnectionOptions): Promise<RawClient[]> {
  return Promise.all(Array.from({ length: 8 }, () => openRaw(port, tls)))
}

/** A certificate for the service, in files, and what its clients connect with. */
function issueCertificate(): { flags: readonly string[]; client: ConnectionOptions } {
  const authority = makeAuthority('an authority')
  const { cert, key } = authority.certify('pay.example')
  const paths = { cert: join(makeScratch(), 'cert.pem'), key: join(makeScratch(), 'key.pem') }
  writeFileSync(paths.cert, cert)
  writeFileSync(paths.key, key, { mode: 0o600 })
  return {
    flags: [`--tls-cert-file=${paths.cert}`, `--tls-key-file=${paths.key}`],
    client: { servername: 'pay.example', ca: authority.cert },
  }
}

function portOf(child: ChildProcess): Promise<number> {
  const port = new Promise<number>((resolve) => child.once('message', (message) => resolve(message as number)))
  return awaitWithin(port, 'the port of the server')
}

async function sendAll(clients: readonly RawClient[], xAuth: string, all: readonly string[]): Promise<string[]> {
  const replies: string[] = []
  for (let i = 0; i < all.length; i += clients.length)
    replies.push(...(await Promise.all(all.slice(i, i + clients.length).map((pan, k) => send(clients[k]!, pan, xAuth)))))
  return replies
}

async function sendBatch(client: RawClient, all: readonly string[], xAuth: string): Promise<string> {
  const calls = all.map((number, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'cards.create',
    params: { card: { number, expire: '0399' }, save: true },
  }))
  client.write(post('/api', JSON.stringify(calls), [`X-Auth: ${xAuth}`]))
  return (await client.next()).body
}

/** Each number once, as many at a time as there are clients. */
async function forEach(clients: readonly RawClient[], use: (client: RawClient, pan: string, i: number) => Promise<void>): Promise<void> {
  for (let i = 0; i < numbers; i += clients.length) await Promise.all(clients.map((client, k) => use(client, pans[i + k] ?? '', i + k)))
}

function send(client: RawClient, pan: string, xAuth: string): Promise<string> {
  return call(client, 'cards.create', { card: { number: pan, expire: '0399' }, save: true }, xAuth)
}

async function call(client: RawClient, method: string, params: object, xAuth: string): Promise<string> {
  client.write(post('/api', JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), [`X-Auth: ${xAuth}`]))
  return (await client.next()).body
}

function tokenIn(reply: string): string {
  const { result } = JSON.parse(reply) as { result?: { card: { token: string } } }
  assert.ok(result !== undefined, reply)
  return result.card.token
}
