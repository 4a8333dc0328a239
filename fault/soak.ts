import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { CallOutcome } from './api-client.ts'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { longLifetimes, stopAndVerify } from './inspect.ts'
import { runPacedLoad } from './paced-load.ts'
import { makeSavedTokens } from './payment-load.ts'
import { readUsage, type ProcessUsage } from './process-usage.ts'
import { makeRandom, type Random } from './random.ts'
import { startService, type RunningService } from './spawn.ts'
import type { ServiceData } from './service-data.ts'
import { largest, median, slopeOf } from './statistics.ts'

/** Half of the load that a service can bear, for a long time. */
export const soak: Experiment = {
  name: 'soak',
  question: 'At half load for a long time, do memory, descriptors, write-ahead log and p99 stay as they are?',
  stores: ['sqlite', 'postgres'],
  cycles: 60,
  isLong: true,
  needs: [],
  async run(trial) {
    const found = await runSoak(trial, trial.cycles * 60)
    const wrong = await runSoak({ ...trial, say: () => undefined }, controlSeconds, [new URL('./doubles/leak.ts', import.meta.url)])
    const seen = wrong.complaints.filter((text) => /memory|descriptors/.test(text))
    return {
      ...found,
      control: {
        what: 'a leak of 5 MiB and ten descriptors a second',
        isFound: seen.length > 0,
        details: seen.join('; ') || 'not noticed',
      },
    }
  },
}

/** One interval of a soak. */
export interface SoakSample extends ProcessUsage {
  readonly seconds: number
  readonly calls: number
  readonly p99Ms: number
}

type SoakResult = Omit<ExperimentResult, 'control'>

async function runSoak(
  { store, seed, cycles, dataFactory, say }: Trial,
  seconds: number,
  imports: readonly URL[] = [],
): Promise<SoakResult> {
  const serviceData = await dataFactory.create(store)
  try {
    const logFile = join(serviceData.folder, 'log')
    const running = await startService({ flags: [...serviceData.flags, ...longLifetimes, '--log-level=warn'], imports, logFile })
    const random = makeRandom(seed)
    const payingTokens = await makeSavedTokens(running, 4)
    const peak = await measurePeak({ running, random, payingTokens })
    say(`peak ${peak.toFixed(0)} calls a second; ${seconds} s at half of it`)
    const load: SoakLoad = { running, random, payingTokens, refusals: new Map() }
    const samples = await sampleUnderLoad(load, { serviceData, callsPerSecond: peak / 2, seconds, say })
    const complaints = [...judgeSamples(samples, store), ...listRefusals(load), ...(await stopAndVerify(running, serviceData))]
    const calls = samples.reduce((sum, sample) => sum + sample.calls, 0)
    const measures = describeTrends(samples)
    return {
      acknowledged: calls,
      lost: 0,
      cycles,
      complaints,
      table: tableOf(samples),
      metrics: { calls_per_second: peak / 2, ...measures },
    }
  } finally {
    await serviceData.remove()
  }
}

interface SoakLoad {
  readonly running: RunningService
  readonly random: Random
  readonly payingTokens: readonly string[]
  readonly refusals: Map<string, number>
}

/** Calls a second when every connection sends as soon as it has a reply. */
async function measurePeak({ running, random, payingTokens }: Omit<SoakLoad, 'refusals'>): Promise<number> {
  let calls = 0
  const send = (ms: number): Promise<void> =>
    runPacedLoad({
      ...running,
      connections,
      callsPerSecond: Infinity,
      payingTokens,
      random,
      until: AbortSignal.timeout(ms),
      onReply: () => calls++,
    })
  await send(peakMs / 2)
  calls = 0
  const startedAt = performance.now()
  await send(peakMs)
  return (calls * 1000) / (performance.now() - startedAt)
}

interface SamplePlan {
  readonly serviceData: ServiceData
  readonly callsPerSecond: number
  readonly seconds: number
  say(text: string): void
}

/** Some sixty samples; a minute apart in an hour. */
async function sampleUnderLoad(load: SoakLoad, { serviceData, callsPerSecond, seconds, say }: SamplePlan): Promise<SoakSample[]> {
  const { running, random, payingTokens, refusals } = load
  const over = new AbortController()
  let times: number[] = []
  const onReply = (outcome: CallOutcome, ms: number): void => {
    times.push(ms)
    if (outcome.kind === 'result') return
    const reason = outcome.kind === 'refused' ? outcome.reason : 'no reply'
    refusals.set(reason, (refusals.get(reason) ?? 0) + 1)
  }
  const sent = runPacedLoad({ ...running, connections, callsPerSecond, payingTokens, random, until: over.signal, onReply })
  const samples: SoakSample[] = []
  const everySeconds = Math.max(minSampleSeconds, seconds / 60)
  const startedAt = performance.now()
  for (let at = everySeconds; at <= seconds; at += everySeconds) {
    await pause(startedAt + at * 1000 - performance.now())
    const taken = times.sort((one, other) => one - other)
    times = []
    const p99Ms = taken[Math.floor(taken.length * 0.99)] ?? NaN
    samples.push({ seconds: at, calls: taken.length, p99Ms, ...(await readUsage(running.pid, serviceData)) })
    say(formatSample(samples.at(-1)).join(' · '))
  }
  over.abort()
  await sent
  return samples
}

/** The stated bounds. Growth is that of a straight line through the samples after the first fifth, in which caches fill. */
export function judgeSamples(all: readonly SoakSample[], store: ServiceDataKind): string[] {
  const samples = all.slice(Math.floor(all.length / 5))
  const complaints: string[] = []
  const growth = growthOf(samples)
  const meanRss = samples.reduce((sum, { rssMib }) => sum + rssMib, 0) / samples.length
  const rssBound = Math.max(maxRssGrowthMib, meanRss * maxRssGrowthShare)
  if (!(growth.rssMib <= rssBound))
    complaints.push(`memory grew by ${growth.rssMib.toFixed(1)} MiB, and the bound is ${rssBound.toFixed(1)}`)
  if (!(growth.descriptors <= maxDescriptorGrowth))
    complaints.push(`descriptors grew by ${growth.descriptors.toFixed(1)}, and the bound is ${maxDescriptorGrowth}`)
  const walMost = largest(samples.map(({ walMib }) => walMib))
  if (walMost > maxWalMib[store]) complaints.push(`the write-ahead log had ${walMost.toFixed(0)} MiB, and the bound is ${maxWalMib[store]}`)
  const [first, last] = thirdsOf(samples.map(({ p99Ms }) => p99Ms))
  if (!(last <= first * maxP99Ratio + p99NoiseMs))
    complaints.push(`p99 went from ${first.toFixed(1)} to ${last.toFixed(1)} ms, and the bound is twice that`)
  return complaints
}

type ServiceDataKind = Trial['store']

function growthOf(samples: readonly SoakSample[]): { rssMib: number; descriptors: number; walMib: number; p99Ms: number } {
  const seconds = (samples.at(-1)?.seconds ?? 0) - (samples[0]?.seconds ?? 0)
  const over = (value: (sample: SoakSample) => number): number =>
    slopeOf(samples.map((sample): [number, number] => [sample.seconds, value(sample)])) * seconds
  return {
    rssMib: over(({ rssMib }) => rssMib),
    descriptors: over(({ descriptors }) => descriptors),
    walMib: over(({ walMib }) => walMib),
    p99Ms: over(({ p99Ms }) => p99Ms),
  }
}

/** Medians of the first and the last third. */
function thirdsOf(values: readonly number[]): [number, number] {
  const length = Math.max(1, Math.floor(values.length / 3))
  return [median(values.slice(0, length)), median(values.slice(-length))]
}

function describeTrends(all: readonly SoakSample[]): Record<string, number> {
  const samples = all.slice(Math.floor(all.length / 5))
  const { rssMib, descriptors, walMib, p99Ms } = growthOf(samples)
  const hours = Math.max(1, (samples.at(-1)?.seconds ?? 0) - (samples[0]?.seconds ?? 0)) / 3600
  return {
    rss_mib_an_hour: rssMib / hours,
    descriptors_an_hour: descriptors / hours,
    wal_mib_an_hour: walMib / hours,
    p99_ms_an_hour: p99Ms / hours,
    rss_mib_most: largest(all.map((sample) => sample.rssMib)),
    wal_mib_most: largest(all.map((sample) => sample.walMib)),
    p99_ms_median: median(samples.map((sample) => sample.p99Ms)),
  }
}

function listRefusals({ refusals }: SoakLoad): string[] {
  return [...refusals].map(([reason, times]) => `refused: ${reason} (${times} times)`)
}

/** At most twenty rows. */
function tableOf(samples: readonly SoakSample[]): string[][] {
  const step = Math.ceil(samples.length / 20)
  return [headings, ...samples.filter((_, index) => index % step === 0).map(formatSample)]
}

const headings = ['seconds', 'calls', 'p99 ms', 'memory MiB', 'descriptors', 'log MiB']

function formatSample(sample: SoakSample | undefined): string[] {
  if (sample === undefined) return []
  const { seconds, calls, p99Ms, rssMib, descriptors, walMib } = sample
  return [seconds.toFixed(0), String(calls), p99Ms.toFixed(1), rssMib.toFixed(0), String(descriptors), walMib.toFixed(1)]
}

const connections = 8
const peakMs = 6000
const controlSeconds = 30
const minSampleSeconds = 3
const maxRssGrowthMib = 24
const maxRssGrowthShare = 0.1
const maxDescriptorGrowth = 5
/** Of SQLite: journal_size_limit in `connectWriter`, with room for one batch. Of PostgreSQL: twice its default max_wal_size, which is a soft limit. */
const maxWalMib: Readonly<Record<ServiceDataKind, number>> = { sqlite: 80, postgres: 2048 }
const maxP99Ratio = 2
const p99NoiseMs = 10
