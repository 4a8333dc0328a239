import { once } from 'node:events'
import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { longLifetimes, reopen } from './inspect.ts'
import { makeLedger, type Ledger } from './ledger.ts'
import { runLoad } from './load.ts'
import { memoryAttacks, unreadPages, type MemoryAttack } from './memory-attacks.ts'
import { createMemoryGroup, type MemoryGroup } from './memory-cgroup.ts'
import { makeRandom } from './random.ts'
import { startService, type RunningService } from './spawn.ts'
import { percentile } from './statistics.ts'
import { outcomeMetrics } from './unknown-outcomes.ts'

/** Clients that take memory, while the service may have 512 MB of it. */
export const memoryLimit: Experiment = {
  name: 'memory-limit',
  question: 'Under 512 MB, does the service live on when clients do not read, send slowly, connect by thousands, or call rpc.discover?',
  stores: ['sqlite'],
  cycles: 1,
  needs: ['memory cgroup'],
  async run(trial) {
    if (isInMemory(tmpdir()))
      trial.say(`the data are in ${tmpdir()}, a file system in memory, which counts: set TMPDIR to a folder on a disk`)
    const found = await attackAll(trial, fullSize)
    const ended = await attackUnbounded(trial, fullSize)
    const details = ended.isKilled ? `killed after ${ended.seconds.toFixed(1)} s` : `alive with ${ended.megabytes} MB`
    return { ...found, control: { what: 'the bounds of memory switched off', isFound: ended.isKilled, details } }
  },
}

/** A file system in memory (tmpfs) has no other place for its pages: the kernel counts them as the service's memory, and frees none. */
function isInMemory(folder: string): boolean {
  return statfsSync(folder).type === tmpfsMagic
}

/** Where the memory is limited, and how long each attack takes. */
export interface AttackSize {
  readonly limit: (name: string) => MemoryGroup
  readonly attacks: readonly MemoryAttack[]
  readonly attackMs: number
}

/** Attacks the service one way after the other. */
export async function attackAll(
  { store, cycles, seed, dataFactory, say }: Trial,
  { limit, attacks, attackMs }: AttackSize,
): Promise<Omit<ExperimentResult, 'control'>> {
  const serviceData = await dataFactory.create(store)
  const group = limit('bounded')
  const ledger = makeLedger()
  const complaints: string[] = []
  const table = [['attack', 'connections', 'cards p99 before', 'during', 'after', 'without reply', 'most memory']]
  const worst = { p99: 0, unanswered: 0 }
  try {
    const running = await startLimited(serviceData.flags, group)
    const end = new AbortController()
    void running.ended.then(() => end.abort())
    for (let cycle = 0; cycle < cycles; cycle++) {
      for (const [at, attack] of attacks.entries()) {
        const shop = { running, ledger, seed: seed + at, isAlive: () => !end.signal.aborted }
        const before = await createCards(shop, AbortSignal.timeout(calmMs))
        const over = new AbortController()
        // On a busy machine the first reply may take longer than the attack.
        const first = new AbortController()
        const seen = Promise.race([once(first.signal, 'abort'), running.ended, pause(mostHeldMs, undefined, { ref: false })])
        const attacked = Promise.all([attack.run(running, attackMs, seen), seen]).finally(() => over.abort())
        const [during, [connections]] = await Promise.all([createCards(shop, over.signal, () => first.abort()), attacked])
        const after = await createCards(shop, AbortSignal.timeout(calmMs))
        const megabytes = toMegabytes(group.maxUsage())
        const row = [before.p99Ms, during.p99Ms, after.p99Ms].map((ms) => `${ms.toFixed(0)} ms`)
        table.push([attack.name, String(connections), ...row, String(during.lost), `${megabytes} MB`])
        say(`${attack.name}: ${connections} connections, cards p99 ${row.join(' → ')}, at most ${megabytes} MB`)
        worst.p99 = Math.max(worst.p99, during.p99Ms)
        worst.unanswered += during.lost
        if (during.created === 0) complaints.push(`${attack.name}: no card was created during it`)
        if (end.signal.aborted) complaints.push(`${attack.name}: the service ended: ${running.output().slice(-300)}`)
      }
    }
    await running.stop()
    const found = await reopen(serviceData, ledger)
    return {
      acknowledged: ledger.countAcknowledged(),
      lost: found.lost.length,
      cycles,
      complaints: [...complaints, ...found.lost, ...found.complaints],
      table,
      metrics: {
        most_memory_mb: toMegabytes(group.maxUsage()),
        cards_p99_during_ms_most: worst.p99,
        calls_without_reply: worst.unanswered,
        ...outcomeMetrics([ledger]),
      },
    }
  } finally {
    group.remove()
    await serviceData.remove()
  }
}

/** The control: the same service without its bounds. */
export async function attackUnbounded(
  { store, dataFactory, say }: Trial,
  { limit }: Pick<AttackSize, 'limit'>,
): Promise<{ isKilled: boolean; seconds: number; megabytes: number }> {
  const serviceData = await dataFactory.create(store)
  const group = limit('unbounded')
  try {
    const running = await startLimited([...serviceData.flags, ...unbounded], group)
    const startedAt = performance.now()
    const attack = unreadPages.run(running, unboundedMs)
    const ended = await Promise.race([running.ended.then(() => true), attack.then(() => false)])
    const seconds = (performance.now() - startedAt) / 1000
    say(`control: ${ended ? 'the service was killed' : 'the service lives'} after ${seconds.toFixed(1)} s`)
    const megabytes = toMegabytes(group.maxUsage())
    await running.kill()
    return { isKilled: ended, seconds, megabytes }
  } finally {
    group.remove()
    await serviceData.remove()
  }
}

async function startLimited(flags: readonly string[], group: MemoryGroup): Promise<RunningService> {
  const { wrapper, nodeFlags } = group
  const running = await startService({ flags: [...flags, ...longLifetimes, '--log-level=warn'], wrapper, nodeFlags })
  group.started(running.pid)
  return running
}

interface HonestShop {
  readonly running: RunningService
  readonly ledger: Ledger
  readonly seed: number
  readonly isAlive: () => boolean
}

/** What an honest merchant sees from an address of its own. */
async function createCards(
  { running, ledger, seed, isAlive }: HonestShop,
  until: AbortSignal,
  onResult: () => void = () => undefined,
): Promise<{ p99Ms: number; lost: number; created: number }> {
  if (!isAlive()) return { p99Ms: NaN, lost: 0, created: 0 }
  const durations: number[] = []
  let lost = 0
  const created = ledger.cards.length
  const onReply = ({ kind }: { kind: string }, took: number): void => {
    durations.push(took)
    if (kind === 'lost') lost++
    if (kind === 'result') onResult()
  }
  await runLoad({ ...running, connections: 2, ledger, random: makeRandom(seed), until, maxPauseMs: 20, onReply })
  return { p99Ms: percentile(durations, 0.99), lost, created: ledger.cards.length - created }
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024)
}

export const limitBytes = 512 * 1024 * 1024
/** statfs(2). */
const tmpfsMagic = 0x01021994
const calmMs = 300
/** How long an attack goes on at most while no card is created. */
const mostHeldMs = 30_000
/** The kill comes within seconds on an idle machine; near its limit the heap is collected over and over first. */
const unboundedMs = 60_000
const unbounded = [
  '--buffered-megabytes-max=65536',
  '--address-buffered-megabytes-max=65536',
  '--connection-buffered-kilobytes-max=1048576',
  '--reply-stall-seconds=600',
]
const fullSize: AttackSize = { limit: (name) => createMemoryGroup(name, limitBytes), attacks: memoryAttacks, attackMs: 2000 }
