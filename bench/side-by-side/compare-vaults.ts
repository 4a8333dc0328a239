import { makeRandom } from '../../fault/random.ts'
import { drawSeededPan } from '../../fault/seeded-pans.ts'
import { median } from '../../fault/statistics.ts'
import { readCpuMs, readCpuMsWhenIdle } from '../cpu.ts'
import { measureOfRounds } from '../interval.ts'
import type { Measure } from '../measurement.ts'
import { readPostgresUsage } from '../postgres-usage.ts'
import type { Contender } from './contenders.ts'
import type { CardPayload } from './vault-api.ts'
import { runVaultLoad, type VaultCall, type VaultLoadResult } from './vault-load.ts'

export interface VaultComparison {
  readonly contenders: readonly Contender[]
  readonly connections: number
  readonly rounds: number
  /** Of each vault in a round. */
  readonly requests: number
  /** Of the rounds at a fixed rate; null: half of what the slowest vault reached without one. */
  readonly perSecond: number | null
  readonly say: (text: string) => void
}

/** One round of one vault: its whole cycle, so with what it does after its last reply. */
interface Round extends VaultLoadResult {
  /** µs a call; NaN where they cannot be read. */
  readonly serviceMicros: number
  readonly databaseMicros: number
  /** How often the database synced its log, a call. */
  readonly walSyncs: number
}

type Rounds = Readonly<Record<string, Round>>

/** Measures all vaults in turns: first as fast as they can, then all at one rate. */
export async function compareVaults(comparison: VaultComparison): Promise<Measure[]> {
  const { contenders, say, requests, rounds } = comparison
  const references = new Map<string, string[]>(contenders.map(({ name }) => [name, []]))
  const drawCard = makeCardSource()
  const measure = async (contender: Contender, call: VaultCall, perSecond: number | null): Promise<Round> => {
    // It has been idle since its last round.
    const before = await readUsage(contender)
    const result = await runVaultLoad(contender, {
      call,
      connections: comparison.connections,
      requests,
      perSecond,
      drawCard,
      references: references.get(contender.name) ?? [],
    })
    for (const pid of contender.pids) await readCpuMsWhenIdle(pid)
    const after = await readUsage(contender)
    const perCall = (member: keyof Usage): number => (after[member] - before[member]) / result.requests
    return {
      ...result,
      serviceMicros: perCall('serviceMs') * 1000,
      databaseMicros: perCall('databaseMs') * 1000,
      walSyncs: perCall('walSyncs'),
    }
  }
  const measures: Measure[] = []
  for (const call of ['create', 'read'] as const) {
    for (const contender of contenders) await measure(contender, call, null)
    const measureRounds = async (perSecond: number | null): Promise<Rounds[]> => {
      const measured: Rounds[] = []
      for (let round = 0; round < rounds; round++) {
        const results: Record<string, Round> = {}
        // Whatever favours the first or the last of a round must not favour the same one every time.
        for (const contender of round % 2 === 0 ? contenders : contenders.toReversed())
          results[contender.name] = await measure(contender, call, perSecond)
        measured.push(results)
        say(`${call}${perSecond === null ? '' : ` at ${String(perSecond)} a second`}: round ${String(round + 1)} of ${String(rounds)}`)
      }
      return measured
    }
    const unlimited = await measureRounds(null)
    measures.push(...toMeasures(call, contenders, unlimited))
    const slowest = Math.min(...contenders.map(({ name }) => median(unlimited.map((each) => each[name]?.perSecond ?? NaN))))
    const perSecond = comparison.perSecond ?? Math.floor(slowest / 2)
    measures.push(...toMeasures(`${call} at ${String(perSecond)}/s`, contenders, await measureRounds(perSecond)))
  }
  return measures
}

interface Usage {
  readonly serviceMs: number
  readonly databaseMs: number
  readonly walSyncs: number
}

async function readUsage({ pids, databaseUrl }: Contender): Promise<Usage> {
  const serviceMs = pids.length === 0 ? NaN : pids.reduce((sum, pid) => sum + readCpuMs(pid), 0)
  if (databaseUrl === null) return { serviceMs, databaseMs: NaN, walSyncs: NaN }
  const { cpuMs, walSyncs } = await readPostgresUsage(databaseUrl)
  return { serviceMs, databaseMs: cpuMs, walSyncs }
}

function toMeasures(what: string, contenders: readonly Contender[], rounds: readonly Rounds[]): Measure[] {
  const valuesOf = (name: string, member: keyof Round): number[] => rounds.map((round) => round[name]?.[member] ?? NaN)
  const measures: Measure[] = []
  for (const { name } of contenders) {
    for (const { member, title, unit } of members) {
      const values = valuesOf(name, member)
      // What cannot be read of a vault is left out, not printed as nothing.
      if (values.every(Number.isFinite)) measures.push(measureOfRounds(values, { of: `${what}, ${name}`, name: title, unit }))
    }
    if (name === 'tessera') continue
    const ratios = rounds.map((round) => costOf(round['tessera']) / costOf(round[name]))
    if (ratios.every(Number.isFinite))
      measures.push(measureOfRounds(ratios, { of: `${what}, tessera`, name: 'CPU with PostgreSQL', unit: `of ${name}` }))
    const tails = rounds.map((round) => (round['tessera']?.p99Ms ?? NaN) / (round[name]?.p99Ms ?? NaN))
    measures.push(measureOfRounds(tails, { of: `${what}, tessera`, name: 'p99', unit: `of ${name}` }))
  }
  return measures
}

function costOf(round: Round | undefined): number {
  return round === undefined ? NaN : round.serviceMicros + round.databaseMicros
}

const members: readonly { readonly member: keyof Round; readonly title: string; readonly unit: string }[] = [
  { member: 'perSecond', title: 'calls', unit: '/s' },
  { member: 'serviceMicros', title: 'CPU of the vault', unit: 'µs a call' },
  { member: 'databaseMicros', title: 'CPU of PostgreSQL', unit: 'µs a call' },
  { member: 'walSyncs', title: 'syncs of the log', unit: 'a call' },
  { member: 'p50Ms', title: 'p50', unit: 'ms' },
  { member: 'p99Ms', title: 'p99', unit: 'ms' },
  { member: 'p999Ms', title: 'p99.9', unit: 'ms' },
]

/** None is drawn twice, so that a vault that looks for duplicates finds none. */
function makeCardSource(): () => CardPayload {
  const random = makeRandom(8600)
  const drawn = new Set<string>()
  return () => {
    let pan = drawSeededPan(random)
    while (drawn.has(pan)) pan = drawSeededPan(random)
    drawn.add(pan)
    return { pan, month: '03', year: '99' }
  }
}
