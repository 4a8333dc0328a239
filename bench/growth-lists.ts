import { signInToDashboard } from '../fault/dashboard-client.ts'
import { median, percentile } from '../fault/statistics.ts'
import type { RunningService } from '../fault/spawn.ts'

import type { Measure } from './measurement.ts'

/** Every tenth card of a growing store has a payer, and every payer has about ten cards, whatever the size. */
export function payerOfCard(n: number): string | null {
  return n % 10 === 0 ? `payer ${String(Math.floor(n / 100))}` : null
}

/** The dashboard's lists of cards over HTTP, as the pages ask for them. The pages of ten thousand cards and of ten million are compared by the caller. */
export async function measureLists(running: RunningService, of: string, rounds: number): Promise<Measure[]> {
  const session = await signInToDashboard(running.url, running.login)
  if (session === null) throw new Error('the dashboard refused the sign-in')
  const measures: Measure[] = []
  for (const { name, method, paramsOf, count } of lists) {
    const times: number[] = []
    for (let round = 0; round < rounds + warmUps; round++) {
      const params = paramsOf(round)
      const sentAt = performance.now()
      const reply = await session.call(method, params)
      const ms = performance.now() - sentAt
      if ('reason' in reply) throw new Error(`${method} ${JSON.stringify(params)} was refused: ${reply.reason}`)
      const { cards } = reply.result as { readonly cards: readonly unknown[] }
      if (cards.length < count) throw new Error(`${method} ${JSON.stringify(params)} returned ${String(cards.length)} cards`)
      if (round >= warmUps) times.push(ms)
    }
    measures.push(
      { of: `${name} ${of}`, name: 'median', value: median(times), unit: 'ms', target: { most: 100 } },
      { of: `${name} ${of}`, name: 'p99', value: percentile(times, 0.99), unit: 'ms' },
    )
  }
  return measures
}

interface MeasuredList {
  readonly name: string
  readonly method: string
  readonly paramsOf: (round: number) => object
  /** The cards that it returns at least: a list that finds nothing is quick. */
  readonly count: number
}

/** The last four digits differ in each round, so that no round reads what the one before had read. */
const lists: readonly MeasuredList[] = [
  { name: 'list, first page', method: 'dashboard.cards.list', paramsOf: () => ({}), count: 25 },
  { name: 'list, one payer', method: 'dashboard.cards.list', paramsOf: (round) => ({ customer: payerOf(round) }), count: 5 },
  { name: 'list, last four', method: 'dashboard.cards.list', paramsOf: (round) => ({ search: lastFourOf(round) }), count: 0 },
  { name: 'search, last four', method: 'dashboard.search.find', paramsOf: (round) => ({ text: lastFourOf(round) }), count: 0 },
  { name: 'search, one payer', method: 'dashboard.search.find', paramsOf: (round) => ({ text: payerOf(round) }), count: 1 },
]

function payerOf(round: number): string {
  return `payer ${String(1 + round)}`
}

function lastFourOf(round: number): string {
  return String((1234 + round * 97) % 10_000).padStart(4, '0')
}

const warmUps = 3
