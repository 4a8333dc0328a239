// runs alone: it compares memory
// runs once: a card number that stays in memory once in many is what it looks for
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

import { awaitWithin } from '../../../../tools/await-within.ts'
import { scanMemory } from '../../../../tools/scan-memory.ts'
import { makeScratch, startTesseraChild } from '../../testing/child.fixture.ts'
import { makePan } from '../../testing/pans.fixture.ts'
import { openRaw, post, type RawClient } from '../../testing/raw.fixture.ts'

const numbers = 2000
const pans = Array.from({ length: numbers }, (_, i) => makePan('8600', i + 1000))
const sent: ReadonlySet<string> = new Set(pans)

test('of 2,000 card numbers the running service has at most the last one in memory, and none after one more request', async () => {
  const service = await startTesseraChild(join(makeScratch(), 'data'), ['--log-level=debug'])
  const clients = await openClients(Number(new URL(service.facts.url).port))
  const merchantId = service.facts.demo?.merchantId ?? ''
  const replies = await sendAll(clients, merchantId)
  assert.equal(replies.filter((reply) => reply.includes('"token"')).length, numbers)
  const left = scanMemory(service.facts.pid, sent)
  assert.ok(left.size <= 1, `${left.size} of ${numbers}`)
  // The buffer that node's HTTP parser reads into still contains the last data read; no other code can access it.
  await send(clients[0]!, '0'.repeat(16), merchantId)
  assert.equal(scanMemory(service.facts.pid, sent).size, 0)
  for (const { socket } of clients) socket.destroy()
  assert.equal((await service.stop()).code, 0)
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
  const left = scanMemory(service.facts.pid, sent)
  assert.ok(left.size <= 1, `${left.size} of ${numbers}`)
  await send(clients[0]!, '0'.repeat(16), merchantId)
  assert.equal(scanMemory(service.facts.pid, sent).size, 0)
  for (const { socket } of clients) socket.destroy()
  assert.equal((await service.stop()).code, 0)
})

test('the same search finds them in a server that reads its bodies with JSON.parse', async () => {
  const child = fork(join(import.meta.dirname, '../../testing/parse-naively.fixture.ts'))
  try {
    const port = await awaitWithin(
      new Promise<number>((resolve) => child.once('message', (message) => resolve(message as number))),
      'the port of the server',
    )
    const clients = await openClients(port)
    await sendAll(clients, '')
    for (const { socket } of clients) socket.destroy()
    const left = scanMemory(child.pid ?? 0, sent)
    assert.ok(left.size > numbers / 10, `${left.size} of ${numbers}`)
  } finally {
    child.kill()
  }
})

async function openClients(port: number): Promise<RawClient[]> {
  return Promise.all(Array.from({ length: 8 }, () => openRaw(port)))
}

async function sendAll(clients: readonly RawClient[], xAuth: string): Promise<string[]> {
  const replies: string[] = []
  await forEach(clients, async (client, pan) => void replies.push(await send(client, pan, xAuth)))
  return replies
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
