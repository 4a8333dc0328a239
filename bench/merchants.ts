import { setTimeout as pause } from 'node:timers/promises'

import { readCallOutcome, type CallOutcome } from '../fault/api-client.ts'
import { fillMerchants } from '../fault/fill-merchants.ts'
import { openHttpConnection, type HttpConnection } from '../fault/http-connection.ts'
import { longLifetimes } from '../fault/inspect.ts'
import { panWithOurOtp } from '../fault/load.ts'
import { makeRandom, type Random } from '../fault/random.ts'
import type { StoreKind } from '../fault/service-data.ts'
import { startService, type RunningService } from '../fault/spawn.ts'
import { percentile } from '../fault/statistics.ts'
import { readCpuMsWhenIdle } from './cpu.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'

/** The same calls from ever more merchants, each time from a merchant drawn among all: a session, and a card that is created with it. */
export const merchants: Measurement = {
  name: 'merchants',
  question: 'Do a form session and a card that is created with it cost more with 10, 1,000 and 10,000 merchants?',
  async run(bench) {
    const measures: Measure[] = []
    for (const store of bench.stores) measures.push(...(await measureMerchants(bench, store)))
    return measures
  },
}

async function measureMerchants({ dataFactory, isQuick, say }: Bench, store: StoreKind): Promise<Measure[]> {
  const serviceData = await dataFactory.create(store)
  const measures: Measure[] = []
  const logins: string[] = []
  const first = new Map<string, number>()
  try {
    for (const size of isQuick ? quickSizes : sizes) {
      logins.push(...(await fillMerchants(serviceData, size - logins.length)))
      const running = await startService({ flags: [...serviceData.flags, ...longLifetimes, '--log-level=warn'] })
      try {
        const calls = isQuick ? 1000 : 5000
        // Each merchant's keys are unwrapped for its first call.
        await measureCalls(running, logins)
        const random = makeRandom(size)
        const cost = await measureCalls(
          running,
          Array.from({ length: calls }, () => drawLogin(logins, random)),
        )
        const of = `${store}, ${String(size)} merchants`
        const before = first.get('cpu') ?? cost.cpuMicroseconds
        first.set('cpu', before)
        measures.push(
          { of, name: 'p99 of a session and a card', value: cost.p99Ms, unit: 'ms' },
          { of, name: 'CPU of both', value: cost.cpuMicroseconds, unit: 'µs' },
          { of, name: 'CPU of both, compared', value: cost.cpuMicroseconds / before, unit: 'of the fewest', target: { most: maxGrowth } },
        )
        say(`merchants ${store}: measured with ${String(size)}`)
      } finally {
        await running.stop()
      }
    }
    return measures
  } finally {
    await serviceData.remove()
  }
}

interface CallCost {
  readonly p99Ms: number
  readonly cpuMicroseconds: number
}

/** One session and one card for each login, in this order. */
async function measureCalls(running: RunningService, logins: readonly string[]): Promise<CallCost> {
  const times: number[] = []
  const left = logins.values()
  const cpuMs = await readCpuMsWhenIdle(running.pid)
  const callNext = async (): Promise<void> => {
    const connection = await openHttpConnection(running.url)
    for (const login of left) times.push(await createWithSession(connection, login))
    connection.close()
  }
  await Promise.all(Array.from({ length: connections }, callNext))
  return { p99Ms: percentile(times, 0.99), cpuMicroseconds: (((await readCpuMsWhenIdle(running.pid)) - cpuMs) * 1000) / logins.length }
}

function drawLogin(logins: readonly string[], random: Random): string {
  return logins[random.between(0, logins.length - 1)] ?? ''
}

/** In milliseconds. As a shop does: its server asks for the session, the cardholder's browser sends the card. */
async function createWithSession(connection: HttpConnection, login: string): Promise<number> {
  const startedAt = performance.now()
  const session = await call(connection, login, 'form.sessions.create', { origin, save: 'ask' })
  const [merchantId = ''] = login.split(':')
  await call(connection, merchantId, 'cards.create', {
    card: { number: panWithOurOtp, expire: '0399' },
    save: true,
    session: session['session'],
  })
  return performance.now() - startedAt
}

type Params = Readonly<Record<string, unknown>>

async function call(connection: HttpConnection, xAuth: string, method: string, params: Params): Promise<Params> {
  for (let attempt = 1; ; attempt++) {
    const outcome: CallOutcome = readCallOutcome(await connection.post('/api', xAuth, JSON.stringify({ id: 1, method, params })))
    if (outcome.kind === 'result') return outcome.result
    if (outcome.kind === 'lost' || outcome.reason !== 'store_unavailable' || attempt === maxAttempts)
      throw new Error(`${method} was refused: ${outcome.kind === 'lost' ? outcome.why : outcome.reason}`)
    await pause(200)
  }
}

const sizes: readonly number[] = [10, 1000, 10_000]
const quickSizes: readonly number[] = [10, 200]
const origin = 'https://shop.example'
const connections = 8
const maxAttempts = 10
/** A merchant's row and keys are found by an index, so that ten thousand merchants cost what ten do. */
const maxGrowth = 1.25
