// time limit: 300 s
// runs once: it draws new requests each time, and one that fails is a finding
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'

import { readSearchSeed, readSearchSize } from '../../../../tools/search-size.ts'
import { makeScratch, startTesseraChild } from '../../testing/child.fixture.ts'
import { canaries, makeBadRequests, type BadRequest } from '../../testing/bad-requests.fixture.ts'
import { grouped } from '../../testing/pans.fixture.ts'
import { openRaw, post, type RawClient, type RawReply, type Said } from '../../testing/raw.fixture.ts'
import type { FuzzDemo } from '../../testing/fuzz-demo.fixture.ts'
import { findFault, holdsCanary } from '../../testing/reply-check.fixture.ts'
import { makeSeeded } from '../../testing/seeded.fixture.ts'

const seed = readSearchSeed(1)
/** `npm run soak -- bad-requests` asks for two million. */
const requestsMax = readSearchSize(8000)
const connections = 6
const pipelined = 40
const faultsMax = 1000
process.stdout.write(`# seed ${seed}: replay with TESSERA_TEST_SEED=${seed}\n`)

test('each of many malformed requests over real sockets gets a valid reply, and no card number gets into the log or a file', async () => {
  const folder = join(makeScratch(), 'data')
  const service = await startTesseraChild(folder, ['--log-level=debug'])
  const { demo, url } = service.facts
  assert.ok(demo !== null)
  const port = Number(new URL(url).port)
  const { faults, outcomes } = await fuzz(port, { requests: requestsMax, demo })
  assert.deepEqual(faults.slice(0, 10), [])
  const seen = [...outcomes].sort(([, a], [, b]) => b - a).map(([outcome, times]) => `${outcome} ${times}`)
  process.stdout.write(`# ${seen.join(' · ')}\n`)
  for (const deep of ['result', 'card_not_found', 'member_invalid', 'pan_out_of_place', 'too_many_members', 'lone_surrogate'])
    assert.ok(outcomes.has(deep), `no request came as far as ${deep}`)

  const client = await openRaw(port)
  client.write(post('/api', '{"id":"still here","method":"rpc.discover"}'))
  assert.equal((await client.next()).said.id, 'still here')
  client.socket.destroy()
  const { code, out, err } = await service.stop()
  assert.equal(code, 0)
  assert.ok((err.match(/"event":"request"/g)?.length ?? 0) > requestsMax / 2, 'the log was on')
  for (const canary of canaries)
    assert.ok(!out.includes(canary) && !err.includes(canary) && !err.includes(grouped(canary, ' ')), 'a card number is in the log')
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name))
    // A mutation may join two numbers: a longer run of digits is none (docs/reference/wire.md#card-numbers-in-requests), and an account may hold it.
    assert.equal(holdsCanary(bytes.toString('latin1')), false, name)
    for (const canary of canaries)
      for (const dress of [Buffer.from(canary, 'utf16le'), Buffer.from(Buffer.from(canary).toString('hex'))])
        assert.equal(bytes.includes(dress), false, name)
  }
})

test('the same requests find the faults of a careless server', async () => {
  const careless = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      res.setHeader('content-type', 'application/json').end(answerCarelessly(text))
    })
  })
  await new Promise<void>((resolve) => careless.listen(0, '127.0.0.1', resolve))
  const demo = { merchantId: '65f0c0ffee0000000000cafe', password: 'p' }
  const { faults } = await fuzz((careless.address() as AddressInfo).port, { requests: 2000, demo })
  careless.closeAllConnections()
  careless.close()
  for (const fault of [/card number/, /no JSON/, /its id is "/])
    assert.ok(
      faults.some((found) => fault.test(found)),
      String(fault),
    )
})

/** Sends so many requests over several connections, and tells what came back. */
async function fuzz(port: number, { requests, demo }: { requests: number; demo: FuzzDemo }): Promise<Findings> {
  const found: Findings = { port, faults: [], outcomes: new Map() }
  let left = requests
  const work = async (worker: number): Promise<void> => {
    const next = makeBadRequests(makeSeeded(seed + worker), demo)
    let client = await openRaw(port)
    while (left > 0 && found.faults.length < faultsMax) {
      const batch = Array.from({ length: pipelined }, next)
      left -= batch.length
      const framed = batch.filter(({ isFramed }) => isFramed)
      client = await sendInOnePacket(client, framed, found)
      for (const request of batch.filter(({ isFramed }) => !isFramed)) await sendAlone(request, found)
    }
    client.socket.destroy()
  }
  await Promise.all(Array.from({ length: connections }, (_, worker) => work(worker)))
  return found
}

interface Findings {
  readonly port: number
  readonly faults: string[]
  /** How often each outcome was met. */
  readonly outcomes: Map<string, number>
}

/** As many replies as requests, in their order, on a connection that stays open. */
async function sendInOnePacket(client: RawClient, requests: readonly BadRequest[], found: Findings): Promise<RawClient> {
  client.write(Buffer.concat(requests.map(({ bytes }) => bytes)))
  for (const request of requests) {
    const reply = await client.next().catch((err: unknown) => String(err))
    note(request, reply, found)
    if (typeof reply === 'string') return openRaw(found.port)
  }
  return client
}

/** What breaks HTTP may be answered or not, but the connection ends, and what is said is valid. */
async function sendAlone(request: BadRequest, found: Findings): Promise<void> {
  const client = await openRaw(found.port)
  client.write(request.bytes)
  client.socket.end()
  for (;;) {
    const reply = await client.next().catch(() => null)
    if (reply === null) break
    note(request, reply, found)
  }
  client.socket.destroy()
}

/** `reply` is a string when the connection ended without one. */
function note(request: BadRequest, reply: RawReply | string, { faults, outcomes }: Findings): void {
  const fault = typeof reply === 'string' ? reply : findFault(request, reply)
  if (fault !== null) faults.push(`${fault}: ${describe(request)}`)
  if (typeof reply === 'string') return
  for (const said of Array.isArray(reply.said) ? (reply.said as Said[]) : [reply.said]) {
    const outcome = reply.status === 200 ? (said.error?.reason ?? 'result') : String(reply.status)
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
}

function describe({ bytes }: BadRequest): string {
  return JSON.stringify(bytes.toString('latin1').slice(0, 2000))
}

function answerCarelessly(text: string): string {
  try {
    const { id, params } = JSON.parse(text) as { id: unknown; params?: unknown }
    const error = { code: -32602, message: 'Invalid params.', reason: 'member_invalid', data: JSON.stringify(params) }
    return JSON.stringify({ jsonrpc: '2.0', id: String(id), error })
  } catch {
    return `{"jsonrpc":"2.0","id":null,"error":"${text}"}`
  }
}
