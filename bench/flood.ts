import { median } from '../fault/figures.ts'
import { startTessera, type Running } from '../fault/spawn.ts'
import { measureSpeed, type Speed } from './compare.ts'
import { startLoadGenerator } from './load.ts'
import type { Figure, Measurement } from './measurement.ts'

/** Sign-ins to the dashboard with wrong passwords: what they tell by their time, and what a flood of them does to the calls of merchants. */
export const flood: Measurement = {
  name: 'flood',
  question: 'What does a flood of sign-ins do to the merchants’ calls, and does the time of one tell a phone that has a login?',
  async run({ homes, isQuick, say }) {
    const home = await homes.make('sqlite')
    const running = await startTessera({ flags: [...home.flags, '--log-level=warn'] })
    try {
      const figures = await compareTimes(running, isQuick ? 4 : 20)
      say('flood: sign-ins one after the other are measured')
      return [...figures, ...(await compareLoads(running, isQuick ? 3 : 8, isQuick ? 1500 : 4000))]
    } finally {
      await running.stop()
      await home.remove()
    }
  },
}

/** Pairs, in turns. A login that is closed by many wrong tries is answered as an open one is: that is in it, too. */
async function compareTimes(running: Running, pairs: number): Promise<Figure[]> {
  const spans: { known: number; unknown: number }[] = []
  for (let turn = 0; turn < pairs; turn++) spans.push({ known: await timeOne(running, known), unknown: await timeOne(running, unknown) })
  const ratio = median(spans.map((span) => span.unknown / span.known))
  return [
    { of: 'sign-in', name: 'refused, a phone that has a login', value: median(spans.map((span) => span.known)), unit: 'ms' },
    { of: 'sign-in', name: 'refused, a phone that has none', value: ratio, unit: 'times as long', aim: { least: 0.8 } },
  ]
}

async function timeOne(running: Running, phone: string): Promise<number> {
  const startedAt = performance.now()
  await signIn(running, phone)
  return performance.now() - startedAt
}

async function compareLoads(running: Running, pairs: number, roundMs: number): Promise<Figure[]> {
  const load = startLoadGenerator()
  const round = { method: 'create', connections: 16, roundMs } as const
  const seen: { calm: Speed; flooded: Speed }[] = []
  const told = new Map<string, number>()
  await measureSpeed(running, load, round)
  for (let turn = 0; turn < pairs; turn++) {
    const calm = await measureSpeed(running, load, round)
    const stop = startFlood(running, told)
    const flooded = await measureSpeed(running, load, round)
    await stop()
    seen.push({ calm, flooded })
  }
  await load.end()
  const ratio = (figure: keyof Speed): number => median(seen.map(({ calm, flooded }) => flooded[figure] / calm[figure]))
  const of = 'flood of sign-ins'
  return [
    { of, name: 'cards.create p99, calm', value: median(seen.map(({ calm }) => calm.p99Ms)), unit: 'ms' },
    { of, name: 'cards.create p99, flooded', value: ratio('p99Ms'), unit: 'times as long' },
    { of, name: 'cards.create requests, flooded', value: ratio('requestsASecond'), unit: 'times as many' },
    ...[...told].map(([reason, count]) => ({ of, name: `answered ${reason}`, value: count, unit: '' })),
  ]
}

/** Thirty browsers that sign in again as soon as they are answered, half of them with a phone that has a login. */
function startFlood(running: Running, told: Map<string, number>): () => Promise<void> {
  let goesOn = true
  const one = async (phone: string): Promise<void> => {
    while (goesOn) {
      const reason = await signIn(running, phone)
      told.set(reason, (told.get(reason) ?? 0) + 1)
      // Who is told to come again comes again soon, and not at once.
      if (reason !== refusedReason) await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const all = Promise.all(Array.from({ length: 30 }, (_, at) => one(at % 2 === 0 ? known : unknown)))
  return async () => {
    goesOn = false
    await all
  }
}

/** The reason of the refusal. */
async function signIn({ url }: Running, phone: string): Promise<string> {
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
