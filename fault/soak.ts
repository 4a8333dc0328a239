import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { CallOutcome } from './api-client.ts'
import { leakVariable, type Leak } from './doubles/leak-rate.ts'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { longLifetimes, stopAndVerify } from './inspect.ts'
import { openLiveMemory, type LiveMemory } from './live-memory.ts'
import { runPacedLoad } from './paced-load.ts'
import { makeSavedTokens } from './payment-load.ts'
import { readUsage } from './process-usage.ts'
import { makeRandom, type Random } from './random.ts'
import { startService, type RunningService } from './spawn.ts'
import type { ServiceData } from './service-data.ts'
import { bounds, describeTrends, judgeSamples, planPhases, type SoakSample } from './soak-judgement.ts'
import { countObjects } from './statement.ts'
import { percentile } from './statistics.ts'

/** Half of the load that a service can bear, for a long time. */
export const soak: Experiment = {
  name: 'soak',
  question: 'At half load for a long time, do memory, descriptors, write-ahead log and p99 stay as they are?',
  stores: ['sqlite', 'postgres'],
  cycles: 60,
  isLong: true,
  needs: [],
  async run(trial) {
    const seconds = trial.cycles * 60
    const found = await runSoak(trial, { seconds })
    const leak = planLeak(Math.max(minControlSeconds, seconds / 6))
    const say = (text: string): void => trial.say(`control: ${text}`)
    const wrong = await runSoak({ ...trial, say }, leak)
    const measuredMib = wrong.metrics['live_mib_growth'] ?? NaN
    const isMeasured = measuredMib > leak.judgedMib / 2 && measuredMib < leak.judgedMib * 2
    const seen = wrong.complaints.filter((text) => /^(live memory|descriptors) grew/.test(text))
    return {
      ...found,
      control: {
        what: `a leak of ${leak.judgedMib} MiB and ${leak.judgedDescriptors} descriptors in ${leak.judgedSeconds.toFixed(0)} s`,
        isFound: seen.length === 2 && isMeasured,
        details: `${measuredMib.toFixed(1)} MiB of live memory measured; ${seen.join('; ') || 'no complaint'}`,
      },
    }
  },
}

interface SoakPlan {
  readonly seconds: number
  readonly leak?: Leak
}

/** A leak of four times the bounds in the time that is judged. */
function planLeak(seconds: number): SoakPlan & { judgedSeconds: number; judgedMib: number; judgedDescriptors: number } {
  const judgedSeconds = seconds - planPhases(seconds).warmUpSeconds
  const [judgedMib, judgedDescriptors] = [bounds.liveMib * 4, bounds.descriptors * 4]
  const leak = { mibPerSecond: judgedMib / judgedSeconds, descriptorsPerSecond: judgedDescriptors / judgedSeconds }
  return { seconds, leak, judgedSeconds, judgedMib, judgedDescriptors }
}

type SoakResult = Omit<ExperimentResult, 'control'>

async function runSoak({ store, seed, cycles, dataFactory, say }: Trial, { seconds, leak }: SoakPlan): Promise<SoakResult> {
  const serviceData = await dataFactory.create(store)
  const liveMemory = openLiveMemory(serviceData.folder)
  try {
    const logFile = join(serviceData.folder, 'log')
    const running = await startService({
      flags: [...serviceData.flags, ...longLifetimes, '--log-level=warn'],
      imports: [liveMemory.module, ...(leak === undefined ? [] : [new URL('./doubles/leak.ts', import.meta.url)])],
      env: { ...liveMemory.env, ...(leak === undefined ? {} : { [leakVariable]: JSON.stringify(leak) }) },
      logFile,
    })
    const random = makeRandom(seed)
    const payingTokens = await makeSavedTokens(running, 4)
    const peak = await measurePeak({ running, random, payingTokens })
    say(`peak ${peak.toFixed(0)} calls a second; ${seconds.toFixed(0)} s at half of it`)
    const load: SoakLoad = { running, random, payingTokens, refusals: new Map() }
    const samples = await sampleUnderLoad(load, { serviceData, liveMemory, callsPerSecond: peak / 2, seconds, say })
    const complaints = [...judgeSamples(samples, store), ...listRefusals(load), ...(await stopAndVerify(running, serviceData))]
    const { metrics, notes } = describeTrends(samples, store)
    return {
      acknowledged: samples.reduce((sum, sample) => sum + sample.calls, 0),
      lost: 0,
      cycles,
      complaints,
      table: tableOf(samples),
      notes,
      metrics: { calls_per_second: peak / 2, ...metrics },
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
  readonly liveMemory: LiveMemory
  readonly callsPerSecond: number
  readonly seconds: number
  say(text: string): void
}

/** Some sixty samples; a minute apart in an hour. Every sixth has a full collection behind it, after which live memory is read. */
async function sampleUnderLoad(
  load: SoakLoad,
  { serviceData, liveMemory, callsPerSecond, seconds, say }: SamplePlan,
): Promise<SoakSample[]> {
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
  const { everySeconds, liveEverySamples } = planPhases(seconds)
  const startedAt = performance.now()
  for (let count = 1; count * everySeconds <= seconds; count++) {
    await pause(startedAt + count * everySeconds * 1000 - performance.now())
    const taken = times
    times = []
    const usage = await readUsage(running.pid, serviceData)
    const isLive = count % liveEverySamples === 0
    const liveMib = isLive ? await liveMemory.read(running.pid) : null
    const objects = isLive ? await countObjects(serviceData) : null
    const sample = { seconds: count * everySeconds, calls: taken.length, p99Ms: percentile(taken, 0.99), ...usage, liveMib, objects }
    samples.push(sample)
    say(formatProgress(sample, seconds))
  }
  over.abort()
  await sent
  return samples
}

function listRefusals({ refusals }: SoakLoad): string[] {
  return [...refusals].map(([reason, times]) => `refused: ${reason} (${times} times)`)
}

/** At most thirty rows. */
function tableOf(samples: readonly SoakSample[]): string[][] {
  const step = Math.ceil(samples.length / 30)
  return [headings, ...samples.filter((_, index) => index % step === step - 1).map(formatSample)]
}

const headings = ['seconds', 'calls', 'p99 ms', 'memory MiB', 'live MiB', 'descriptors', 'log MiB']

function formatSample({ seconds, calls, p99Ms, rssMib, liveMib, descriptors, walMib }: SoakSample): string[] {
  const live = liveMib === null ? '' : liveMib.toFixed(1)
  return [seconds.toFixed(0), String(calls), p99Ms.toFixed(1), rssMib.toFixed(0), live, String(descriptors), walMib.toFixed(1)]
}

function formatProgress({ seconds, calls, p99Ms, rssMib, liveMib, descriptors, walMib }: SoakSample, total: number): string {
  const live = liveMib === null ? '' : ` (${liveMib.toFixed(1)} live)`
  const usage = `memory ${rssMib.toFixed(0)} MiB${live}, ${descriptors} descriptors, log ${walMib.toFixed(1)} MiB`
  return `${seconds.toFixed(0)} of ${total.toFixed(0)} s: ${calls} calls, p99 ${p99Ms.toFixed(1)} ms, ${usage}`
}

const connections = 8
const peakMs = 6000
const minControlSeconds = 60
