import { setTimeout as pause } from 'node:timers/promises'
import { isOutcomeUnknown, openApiClient, tokenOf, type CallOutcome } from './api-client.ts'
import { makeCallTimes, type CallTimes } from './call-times.ts'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { dataFolderOf, longLifetimes, stopAndVerify } from './inspect.ts'
import { panWithOurOtp } from './load.ts'
import { plantedFaults } from './planted-faults.ts'
import { queryDatabase, type ServiceData } from './service-data.ts'
import { countCards } from './statement.ts'
import { runCommandHere } from './command-in-process.ts'
import { startService, type RunningService } from './spawn.ts'

/** A part of the database accepts no writes, as when the disk of one of several shards is full. */
export const partialStore: Experiment = {
  name: 'partial-store',
  question: 'Is /readyz 200 with `degraded` while some buckets can be written, and 503 while none can?',
  // An embedded database has one file: what then becomes of /readyz is asked by disk-full and stuck-store.
  stores: ['postgres'],
  cycles: 1,
  needs: [],
  async run(trial) {
    const found = await fillParts(trial, defaultPhaseMs)
    const wrong = await fillParts(trial, controlPhaseMs, [plantedFaults.ignoreFailedWrites])
    const seen = wrong.complaints.filter((text) => text.includes('/readyz'))
    const control = {
      what: 'failed writes that readiness does not see',
      isFound: seen.length > 0,
      details: seen.join('; ') || 'not noticed',
    }
    return { ...found, control }
  },
}

/** Which buckets refuse writes, and what /readyz has to say meanwhile. */
const phases = [
  { name: 'before', refusing: 'none', status: 200, state: 'ready' },
  { name: 'half of the buckets', refusing: 'even', status: 200, state: 'degraded' },
  { name: 'every bucket', refusing: 'all', status: 503, state: 'store_not_writable' },
  { name: 'half again', refusing: 'even', status: 200, state: 'degraded' },
  { name: 'after', refusing: 'none', status: 200, state: 'ready' },
] as const
type Phase = (typeof phases)[number]

/** Runs all phases under load. `phaseMs`: how long each lasts. */
export async function fillParts(
  { dataFactory, cycles, say }: Trial,
  phaseMs: number,
  imports: readonly URL[] = [],
): Promise<Omit<ExperimentResult, 'control'>> {
  const serviceData = await dataFactory.create('postgres')
  const databaseUrl = serviceData.databaseUrl ?? ''
  const complaints: string[] = []
  const cards: CreatedCard[] = []
  const table: string[][] = [['', 'created', 'refused', '/readyz']]
  const times = makeCallTimes(settleMs + phaseMs)
  let [unknown, isBroken] = [0, false]
  try {
    const running = await startService({ flags: [...serviceData.flags, ...longLifetimes], imports })
    const merchants = await createMerchants(running, serviceData)
    const cardsBefore = await countCards(serviceData)
    for (const phase of Array.from({ length: cycles }, () => phases).flat()) {
      if (phase.refusing !== 'none' && !isBroken) times.faultBegins()
      await refuseWrites(databaseUrl, phase.refusing)
      isBroken = phase.refusing !== 'none'
      if (!isBroken) {
        complaints.push(...(await waitUntilReady(running)))
        times.faultEnds()
      }
      const seen = await watchPhase(running, merchants, { phaseMs, times })
      unknown += seen.unknown
      cards.push(...seen.cards)
      const refused = [...seen.refusals.values()].reduce((sum, count) => sum + count, 0)
      const states = [...seen.states].map(([state, count]) => `${state} (${count})`).join(', ')
      table.push([phase.name, String(seen.cards.length), String(refused), states])
      complaints.push(...judgePhase(phase, seen))
      say(`${phase.name}: ${seen.cards.length} created, ${refused} refused, /readyz ${states}`)
    }
    // Cards that no caller knows were created by calls of unknown outcome.
    const happened = (await countCards(serviceData)) - cardsBefore - cards.length
    complaints.push(...(await findMissing(running, cards)), ...(await stopAndVerify(running, serviceData)))
    const lost = complaints.filter((text) => text.startsWith('lost')).length
    const outcomes = { unknown_outcomes: unknown, unknown_that_had_happened: happened }
    return { acknowledged: cards.length, lost, cycles, complaints, table, metrics: { ...times.metrics(), ...outcomes } }
  } finally {
    await serviceData.remove()
  }
}

/** A merchant of an even bucket, and one of an odd bucket: everything that a merchant has is in one bucket. */
interface MerchantPair {
  readonly even: string
  readonly odd: string
}

/** The X-Auth of both. */
async function createMerchants(running: RunningService, serviceData: ServiceData): Promise<MerchantPair> {
  const found = new Map<number, string>()
  for (let xAuth = running.xAuth; ; xAuth = await createMerchant(serviceData)) {
    found.set((await findBucket(running, xAuth)) % 2, xAuth)
    const [even, odd] = [found.get(0), found.get(1)]
    if (even !== undefined && odd !== undefined) return { even, odd }
  }
}

async function createMerchant(serviceData: ServiceData): Promise<string> {
  const { code, out } = await runCommandHere(['merchants', 'create', '--name=Shop', '--json', `--data=${dataFolderOf(serviceData)}`])
  if (code !== 0) throw new Error(`a merchant could not be created: ${out}`)
  const { merchantId, password } = JSON.parse(out) as { merchantId: string; password: string }
  return `${merchantId}:${password}`
}

/** Each id of a merchant's rows has the bucket in its digits 10 to 12. */
async function findBucket({ url }: RunningService, xAuth: string): Promise<number> {
  const client = await openApiClient({ url, xAuth })
  const outcome = await client.create(panWithOurOtp)
  client.close()
  if (outcome.kind !== 'result') throw new Error('a card could not be created')
  return Number.parseInt(tokenOf(outcome.result).slice(9, 12), 16)
}

interface CreatedCard {
  readonly xAuth: string
  readonly token: string
}

interface PhaseRecord {
  readonly cards: CreatedCard[]
  readonly refusals: Map<string, number>
  unknown: number
  /** Of /readyz, `<status> <state>`, and how often each was there. */
  readonly states: Map<string, number>
}

/** Creates cards for both merchants, and asks /readyz ten times a second. What comes first in a phase may still be of the one before. */
async function watchPhase(
  running: RunningService,
  { even, odd }: MerchantPair,
  { phaseMs, times }: { readonly phaseMs: number; readonly times: CallTimes },
): Promise<PhaseRecord> {
  const seen: PhaseRecord = { cards: [], refusals: new Map(), unknown: 0, states: new Map() }
  const over = AbortSignal.timeout(settleMs + phaseMs)
  const create = async (xAuth: string): Promise<void> => {
    const client = await openApiClient({ url: running.url, xAuth })
    while (!over.aborted) {
      const sentAt = performance.now()
      const outcome = await client.create(panWithOurOtp)
      times.add(performance.now() - sentAt)
      recordCreate(seen, outcome, xAuth)
      await pause(5)
    }
    client.close()
  }
  const watch = async (): Promise<void> => {
    await pause(settleMs)
    while (!over.aborted) {
      const response = await fetch(`${running.adminUrl}/readyz`)
      const { state } = (await response.json()) as { state: string }
      count(seen.states, `${response.status} ${state}`)
      await pause(100)
    }
  }
  await Promise.all([create(even), create(odd), watch()])
  return seen
}

/** A store that accepts writes again is noticed by the next look at it. */
async function waitUntilReady({ adminUrl }: RunningService): Promise<string[]> {
  const startedAt = performance.now()
  while (performance.now() - startedAt < maxReadyMs) {
    const response = await fetch(`${adminUrl}/readyz`)
    if (((await response.json()) as { state: string }).state === 'ready') return []
    await pause(100)
  }
  return [`/readyz was not ready ${String(maxReadyMs)} ms after all writes were accepted`]
}

function recordCreate(seen: PhaseRecord, outcome: CallOutcome, xAuth: string): void {
  if (isOutcomeUnknown(outcome)) seen.unknown += 1
  if (outcome.kind === 'result') seen.cards.push({ xAuth, token: tokenOf(outcome.result) })
  else count(seen.refusals, outcome.kind === 'refused' ? outcome.reason : outcome.why)
}

function judgePhase({ name, refusing, status, state }: Phase, { cards, refusals, states }: PhaseRecord): string[] {
  const other = [...states].filter(([key]) => key !== `${status} ${state}`)
  const reasons = [...refusals.keys()].filter((reason) => reason !== 'store_full')
  return [
    ...other.map(([key, times]) => `${name}: /readyz was ${key} (${times} times), not ${status} ${state}`),
    ...(states.size === 0 ? [`${name}: /readyz was never asked`] : []),
    ...reasons.map((reason) => `${name}: refused with ${reason}`),
    ...(refusing !== 'none' && refusals.size === 0 ? [`${name}: no write was refused`] : []),
    ...(status === 200 && cards.length === 0 ? [`${name}: no card was created`] : []),
  ]
}

/** The database refuses writes of every row that has a bucket as a full disk does (SQLSTATE 53100). */
async function refuseWrites(databaseUrl: string, which: Phase['refusing']): Promise<void> {
  const condition = which === 'all' ? 'true' : 'new.bucket % 2 = 0'
  const tables = await queryDatabase(
    databaseUrl,
    // A partition gets the trigger of its table.
    `select relname as table_name from pg_class join pg_attribute on attrelid = pg_class.oid
     where attname = 'bucket' and relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace`,
  )
  const create = (table: string): string =>
    `create trigger refuse_writes before insert or update on ${table} for each row when (${condition}) execute function refuse_write()`
  const statements = tables.flatMap(({ table_name: table }) => [
    `drop trigger if exists refuse_writes on ${String(table)}`,
    ...(which === 'none' ? [] : [create(String(table))]),
  ])
  const refuse = `begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end`
  await queryDatabase(
    databaseUrl,
    [`create or replace function refuse_write() returns trigger language plpgsql as $$ ${refuse} $$`, ...statements].join('; '),
  )
}

async function findMissing({ url }: RunningService, cards: readonly CreatedCard[]): Promise<string[]> {
  const missing: string[] = []
  for (const [xAuth, own] of Map.groupBy(cards, (card) => card.xAuth)) {
    const client = await openApiClient({ url, xAuth })
    for (const { token } of own) if ((await client.check(token)).kind !== 'result') missing.push(`lost: card ${token.slice(0, 24)}`)
    client.close()
  }
  return missing
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

const defaultPhaseMs = 5000
const controlPhaseMs = 1000
const settleMs = 400
/** A failed write counts for ten seconds. */
const maxReadyMs = 15_000
