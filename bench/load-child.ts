// The load generator, run as a program of its own so that its CPU time is not the server's. Takes commands over IPC.
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { openApiClient, tokenOf, type ApiClient, type CallOutcome } from '../fault/api-client.ts'
import { cutReply } from '../fault/http-connection.ts'
import { panWithNetworkOtp, testOtp } from '../fault/load.ts'
import { makeRandom } from '../fault/random.ts'
import { drawSeededPan } from '../fault/seeded-pans.ts'
import type { LoadResult, LoadMethod, LoadOrder, LoadProblem, LoadTarget } from './load-messages.ts'
import { runOpenLoop } from './open-loop.ts'

const random = makeRandom(Date.now() % 2 ** 31)
const tokens = new Map<string, string[]>()
const creates = new Map<string, Buffer[]>()
const payments = new Map<string, Buffer[]>()
/** The verified cards that pay at a target, one for each connection that creates receipts. */
const payingCards = new Map<string, string[]>()

process.on('message', (order: LoadOrder) => {
  if (order.order === 'end') process.disconnect()
  else
    void runOrder(order)
      .catch(explain)
      .then((result) => process.send?.(result))
})

async function runOrder(order: Exclude<LoadOrder, { order: 'end' }>): Promise<LoadResult> {
  if (order.order === 'run')
    return run(order.target, order.method, order.connections, {
      ms: order.ms ?? Infinity,
      count: order.requests ?? Infinity,
      repeatsRefused: order.repeatsRefused ?? false,
    })
  if (order.order === 'rate') return runAtRate(order)
  if (order.order === 'prepareReceipts') {
    const startedAt = performance.now()
    payments.set(order.target.url, await writePayments(order.target, order.receipts))
    return { requests: order.receipts, ms: performance.now() - startedAt, failed: 0, failure: '', p50Ms: NaN, p99Ms: NaN, p999Ms: NaN }
  }
  const made: string[] = []
  tokens.set(order.target.url, made)
  return run(order.target, 'create', 16, { ms: Infinity, count: order.cards, repeatsRefused: true }, (body) => {
    const token = /"token":"([^"]+)"/.exec(body)?.[1]
    if (token !== undefined) made.push(token)
  })
}

function explain(err: unknown): LoadProblem {
  return { problem: err instanceof Error ? err.message : String(err) }
}

interface LoadLimit {
  readonly ms: number
  readonly count: number
  readonly repeatsRefused: boolean
}

async function run(
  target: LoadTarget,
  method: LoadMethod,
  connections: number,
  end: LoadLimit,
  see?: (body: string) => void,
): Promise<LoadResult> {
  const receipts = method === 'pay' ? (payments.get(target.url) ?? []) : null
  const requests = receipts !== null ? takeAway(receipts) : method === 'create' ? drawCreates(target) : listChecks(target)
  const startedAt = performance.now()
  const seen: ReplyCounts = { durations: [], failed: 0, failure: '', sent: 0 }
  const isRunning = (): boolean => performance.now() - startedAt < end.ms && seen.sent < end.count && receipts?.length !== 0
  await Promise.all(
    Array.from({ length: connections }, () => drive(target, requests, { seen, isRunning, see, repeatsRefused: end.repeatsRefused })),
  )
  const { failed, failure } = seen
  return { ...summarize(seen.durations), ms: performance.now() - startedAt, failed, failure }
}

async function runAtRate({ target, method, connections, perSecond, ms }: Extract<LoadOrder, { order: 'rate' }>): Promise<LoadResult> {
  const startedAt = performance.now()
  const { durations, failed, failure, sentLateMs } = await runOpenLoop({
    url: target.url,
    perSecond,
    ms,
    connections,
    nextRequest: method === 'create' ? drawCreates(target) : listChecks(target),
    isResult: ({ body }) => body.includes('"result":'),
  })
  return { ...summarize(durations), ms: performance.now() - startedAt, failed, failure, sentLateMs }
}

function summarize(times: readonly number[]): Pick<LoadResult, 'requests' | 'p50Ms' | 'p99Ms' | 'p999Ms'> {
  const durations = Float64Array.from(times).sort()
  const at = (share: number): number => durations[Math.min(durations.length - 1, Math.floor(durations.length * share))] ?? NaN
  return { requests: durations.length, p50Ms: at(0.5), p99Ms: at(0.99), p999Ms: at(0.999) }
}

interface ReplyCounts {
  readonly durations: number[]
  failed: number
  failure: string
  sent: number
}

interface LoadObserver {
  readonly seen: ReplyCounts
  readonly isRunning: () => boolean
  readonly see: ((body: string) => void) | undefined
  readonly repeatsRefused: boolean
}

/** One connection: the next request goes out when the reply has come. */
function drive({ url }: LoadTarget, nextRequest: () => Buffer, { seen, isRunning, see, repeatsRefused }: LoadObserver): Promise<void> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true })
    let received: Buffer = Buffer.alloc(0)
    let sentAt = 0
    const send = (): void => {
      if (!isRunning()) {
        socket.end()
        resolve()
        return
      }
      seen.sent += 1
      sentAt = performance.now()
      socket.write(nextRequest())
    }
    socket.on('connect', send)
    socket.on('error', reject)
    // After the last reply this side ends the connection, and the promise is already settled.
    socket.on('close', () => reject(new Error('a connection was closed before the reply')))
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const cut = cutReply(received)
      if (cut === null) return
      received = received.subarray(cut.bytes)
      const { body } = cut.reply
      if (repeatsRefused && /"reason":"(overloaded|store_unavailable|outcome_unknown)"/.test(body)) {
        seen.sent -= 1
        const [, retryAfterMs] = /"retry_after":(\d+)/.exec(body) ?? []
        setTimeout(send, Number(retryAfterMs ?? 1000))
        return
      }
      seen.durations.push(performance.now() - sentAt)
      if (!body.includes('"result":')) {
        seen.failed += 1
        if (seen.failure === '') seen.failure = body.slice(0, 300)
      }
      see?.(body)
      send()
    })
  })
}

/** Every request has its own card number. They are written beforehand and sent one after the other. */
function drawCreates(target: LoadTarget): () => Buffer {
  const key = target.url
  const made = creates.get(key) ?? Array.from({ length: createsWritten }, (_, id) => writeRequest(target, 'cards.create', id, drawCard()))
  creates.set(key, made)
  return takeTurns(made)
}

function drawCard(): object {
  return { card: { number: drawSeededPan(random), expire: '0399' }, save: true }
}

function listChecks(target: LoadTarget): () => Buffer {
  return takeTurns((tokens.get(target.url) ?? []).map((token, id) => writeRequest(target, 'cards.check', id, { token })))
}

/** Payments of new receipts by a few verified cards, each under its own key. The cards are created the first time only: no part of what a payment costs. */
async function writePayments(target: LoadTarget, count: number): Promise<Buffer[]> {
  const clients = await Promise.all(Array.from({ length: 16 }, () => openApiClient(target)))
  const cards = payingCards.get(target.url) ?? (await Promise.all(clients.map(createVerifiedCard)))
  payingCards.set(target.url, cards)
  const written: Buffer[] = []
  let left = count
  const createRest = async (client: ApiClient): Promise<void> => {
    for (let at = --left; at >= 0; at = --left) {
      const { receipt } = await resultOf(() => client.call('receipts.create', { amount: 100_000, account: { order: 'a' } }))
      const { _id: id } = receipt as { readonly _id: string }
      written.push(writeRequest(target, 'receipts.pay', at, { id, token: cards[at % cards.length] ?? '' }, `pay-${id}`))
    }
    client.close()
  }
  await Promise.all(clients.map(createRest))
  return written
}

async function createVerifiedCard(client: ApiClient): Promise<string> {
  const token = tokenOf(await resultOf(() => client.create(panWithNetworkOtp)))
  await resultOf(() => client.requestCode(token))
  await resultOf(() => client.verify(token, testOtp))
  return token
}

/** What a busy service refuses was not done, and is sent again. */
async function resultOf(send: () => Promise<CallOutcome>): Promise<Readonly<Record<string, unknown>>> {
  const outcome = await send()
  if (outcome.kind === 'refused' && outcome.reason === 'overloaded') {
    await pause(outcome.retryAfterMs ?? 1000)
    return resultOf(send)
  }
  if (outcome.kind !== 'result') throw new Error(outcome.kind === 'refused' ? outcome.reason : outcome.why)
  return outcome.result
}

function takeAway(requests: Buffer[]): () => Buffer {
  return () => requests.pop() ?? Buffer.alloc(0)
}

function takeTurns(requests: readonly Buffer[]): () => Buffer {
  let at = 0
  return () => requests[at++ % requests.length] ?? Buffer.alloc(0)
}

function writeRequest({ url, xAuth }: LoadTarget, method: string, id: number, params: object, key = ''): Buffer {
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
  const keyHeader = key === '' ? '' : `idempotency-key: ${key}\r\n`
  const head = `POST /api/${method} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nx-auth: ${xAuth}\r\ncontent-type: application/json\r\n${keyHeader}content-length: ${body.length}\r\n\r\n`
  return Buffer.from(head + body)
}

const createsWritten = 20_000
