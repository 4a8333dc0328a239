import { median } from '../fault/statistics.ts'
import { startService, type RunningService } from '../fault/spawn.ts'
import { measureSpeed, type Speed } from './compare.ts'
import { startLoadGenerator } from './load.ts'
import type { Measure, Measurement } from './measurement.ts'

/** Sign-ins to the dashboard with wrong passwords: what their duration reveals, and what a flood of them does to the merchants' calls. */
export const flood: Measurement = {
  name: 'flood',
  question: 'What does a flood of sign-ins do to the merchants’ calls, and does the duration of one reveal whether a phone has a login?',
  async run({ dataFactory, isQuick, say }) {
    const serviceData = await dataFactory.create('sqlite')
    const running = await startService({ flags: [...serviceData.flags, '--log-level=warn'] })
    try {
      const measures = await compareTimes(running, isQuick ? 4 : 20)
      say('flood: sign-ins one after the other are measured')
      return [...measures, ...(await compareLoads(running, isQuick ? 3 : 8, isQuick ? 1500 : 4000))]
    } finally {
      await running.stop()
      await serviceData.remove()
    }
  },
}

/** Alternating pairs. A login that is locked after many wrong passwords gets the same reply as any other, and is included. */
async function compareTimes(running: RunningService, pairs: number): Promise<Measure[]> {
  const durations: { known: number; unknown: number }[] = []
  for (let pair = 0; pair < pairs; pair++)
    durations.push({ known: await timeOne(running, known), unknown: await timeOne(running, unknown) })
  const ratio = median(durations.map((duration) => duration.unknown / duration.known))
  return [
    { of: 'sign-in', name: 'refused, phone with a login', value: median(durations.map((duration) => duration.known)), unit: 'ms' },
    { of: 'sign-in', name: 'refused, phone without a login', value: ratio, unit: 'times as long', target: { least: 0.8 } },
  ]
}

async function timeOne(running: RunningService, phone: string): Promise<number> {
  const startedAt = performance.now()
  await signIn(running, phone)
  return performance.now() - startedAt
}

async function compareLoads(running: RunningService, pairs: number, roundMs: number): Promise<Measure[]> {
  const load = startLoadGenerator()
  const round = { method: 'create', connections: 16, roundMs } as const
  const seen: { calm: Speed; flooded: Speed }[] = []
  const refusals = new Map<string, number>()
  await measureSpeed(running, load, round)
  for (let pair = 0; pair < pairs; pair++) {
    const calm = await measureSpeed(running, load, round)
    const stop = startFlood(running, refusals)
    const flooded = await measureSpeed(running, load, round)
    await stop()
    seen.push({ calm, flooded })
  }
  await load.stop()
  const ratio = (measure: keyof Speed): number => median(seen.map(({ calm, flooded }) => flooded[measure] / calm[measure]))
  const of = 'flood of sign-ins'
  return [
    { of, name: 'cards.create p99, calm', value: median(seen.map(({ calm }) => calm.p99Ms)), unit: 'ms' },
    { of, name: 'cards.create p99, flooded', value: ratio('p99Ms'), unit: 'times as long' },
    { of, name: 'cards.create requests, flooded', value: ratio('requestsPerSecond'), unit: 'times as many' },
    ...[...refusals].map(([reason, count]) => ({ of, name: `refused with ${reason}`, value: count, unit: '' })),
  ]
}

/** Thirty browsers that sign in again as soon as a reply comes, half of them with a phone that has a login. */
function startFlood(running: RunningService, refusals: Map<string, number>): () => Promise<void> {
  let isRunning = true
  const one = async (phone: string): Promise<void> => {
    while (isRunning) {
      const reason = await signIn(running, phone)
      refusals.set(reason, (refusals.get(reason) ?? 0) + 1)
      // A client whose call was refused with retry_after waits a little.
      if (reason !== refusedReason) await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const all = Promise.all(Array.from({ length: 30 }, (_, at) => one(at % 2 === 0 ? known : unknown)))
  return async () => {
    isRunning = false
    await all
  }
}

/** Returns the reason of the refusal. */
async function signIn({ url }: RunningService, phone: string): Promise<string> {
  const origin = url.replace('127.0.0.1', 'localhost')
  const params = { phone, password: 'a wrong password' }
  const response = await fetch(`${origin}/dashboard/api`, {
    method: 'POST',
    headers: { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'dashboard.session.signIn', params }),
  })
  const { error } = (await response.json()) as { error?: { reason?: string } }
  return error?.reason ?? `HTTP ${response.status}`
}

const known = '998900000000'
const unknown = '998111111111'
const refusedReason = 'sign_in_refused'
