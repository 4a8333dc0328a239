import { openApiClient, type ApiClient } from './api-client.ts'
import type { Control, Experiment, Trial } from './experiment.ts'
import { longLifetimes } from './inspect.ts'
import {
  countDone,
  formatOutcome,
  findUndone,
  isUnknown,
  type KeyedCall,
  maxKeyedCallMs,
  prepareCall,
  resolveAll,
  payCalmly,
  timed,
} from './keyed-calls.ts'
import { makeSavedTokens } from './payment-load.ts'
import { plantedFaults } from './planted-faults.ts'
import { openProxy, type Proxy } from './proxy.ts'
import { makeRandom, type Random } from './random.ts'
import { createServiceData, type ServiceData } from './service-data.ts'
import { startService } from './spawn.ts'
import { largest, percentile } from './statistics.ts'

/** The connection to PostgreSQL breaks at a COMMIT: before the server has it, or before its reply. */
export const lostCommit: Experiment = {
  name: 'lost-commit',
  question: 'When the connection breaks at COMMIT, does the call end within 3 s, and the same call under its key too, and is it done once?',
  stores: ['postgres'],
  cycles: 30,
  needs: [],
  async run(trial) {
    const place = await openPlace(trial)
    try {
      const found = await loseCommits(trial, place)
      const { calls } = found
      const count = (isCounted: (call: KeyedCall) => boolean): number => calls.filter(isCounted).length
      return {
        acknowledged: count(({ outcome }) => outcome?.kind === 'result'),
        lost: found.lost.length,
        cycles: count(({ isUnknown }) => isUnknown),
        complaints: [...found.complaints, ...found.lost],
        control: await keepLeases(trial, place),
        metrics: {
          commits_cut: count(({ isCut }) => isCut),
          unknown_outcomes: count(({ isUnknown }) => isUnknown),
          unknown_that_had_happened: count(({ isUnknown, hadHappened }) => isUnknown && hadHappened),
          p99_before_ms: percentile(found.beforeMs, 0.99),
          p99_during_ms: percentile(
            calls.filter(({ isCut }) => isCut).map(({ firstMs }) => firstMs),
            0.99,
          ),
          p99_after_ms: percentile(found.afterMs, 0.99),
          first_call_ms_most: Math.round(largest(calls.map(({ firstMs }) => firstMs))),
          retry_ms_most: Math.round(largest(calls.flatMap(({ retryMs }) => retryMs))),
        },
      }
    } finally {
      await place.proxy.close()
      await place.serviceData.remove()
    }
  },
}

interface Place {
  readonly serviceData: ServiceData
  readonly proxy: Proxy
  /** Flags of a service that has the database behind the proxy. */
  readonly flags: readonly string[]
}

interface LostCommitResult {
  readonly calls: readonly KeyedCall[]
  readonly complaints: readonly string[]
  readonly lost: readonly string[]
  /** Payments before and after all of it. */
  readonly beforeMs: readonly number[]
  readonly afterMs: readonly number[]
}

async function openPlace({ dataFactory, store }: Trial): Promise<Place> {
  const serviceData = await dataFactory.create(store)
  const url = new URL(serviceData.databaseUrl ?? '')
  const proxy = await openProxy({ host: url.hostname, port: Number(url.port) })
  url.port = String(proxy.port)
  return { serviceData, proxy, flags: [...createServiceData(serviceData.folder, url.href).flags, ...longLifetimes, '--limits=off'] }
}

async function loseCommits({ cycles, seed, say }: Trial, place: Place): Promise<LostCommitResult> {
  const random = makeRandom(seed)
  const running = await startService({ flags: place.flags })
  const complaints: string[] = []
  const calls: KeyedCall[] = []
  try {
    const client = await openApiClient(running)
    const [token = ''] = await makeSavedTokens(running, 1)
    const beforeMs = await payCalmly(client, token)
    for (let attempt = 0; calls.filter(({ isUnknown }) => isUnknown).length < cycles && attempt < cycles * maxAttempts; attempt++) {
      const call = await prepareCall(client, token, random.chance(0.3))
      calls.push(call)
      await cutOnce({ client, place, random, complaints }, call)
    }
    say(`${calls.filter(({ isUnknown }) => isUnknown).length} unknown outcomes of ${calls.length} calls; waiting for their leases`)
    await resolveAll(client, calls, complaints)
    const lost = await findUndone(client, place.serviceData, calls)
    const afterMs = await payCalmly(client, token)
    client.close()
    return { calls, complaints, lost, beforeMs, afterMs }
  } finally {
    await running.stop()
  }
}

interface CutContext {
  readonly client: ApiClient
  readonly place: Place
  readonly random: Random
  readonly complaints: string[]
}

/** Sends the call while one of its commits is cut, and again at once when its outcome is unknown. */
async function cutOnce({ client, place, random, complaints }: CutContext, call: KeyedCall): Promise<void> {
  // A payment commits its intention, the entry of the sandbox network, and its outcome.
  const skip = call.receiptId === null ? 0 : random.between(0, commitsOfPayment - 1)
  place.proxy.cutCommit({ at: random.chance(0.5) ? 'request' : 'reply', skip })
  const first = await timed(() => client.call(call.method, call.params, call.key))
  call.isCut = !place.proxy.isCutPending()
  place.proxy.cutCommit(null)
  call.firstMs = first.ms
  call.outcome = first.outcome
  if (first.ms > maxKeyedCallMs) complaints.push(`${call.method} took ${Math.round(first.ms)} ms: ${formatOutcome(first.outcome)}`)
  if (first.outcome.kind === 'lost') complaints.push(`${call.method} got no reply: ${first.outcome.why}`)
  if (!isUnknown(first.outcome)) return
  call.isUnknown = true
  call.hadHappened = (await countDone(place.serviceData, call)) > 0
  const again = await timed(() => client.call(call.method, call.params, call.key))
  call.retryMs.push(again.ms)
  call.outcome = again.outcome
  if (again.ms > maxKeyedCallMs)
    complaints.push(`${call.method} under its key took ${Math.round(again.ms)} ms: ${formatOutcome(again.outcome)}`)
}

/** A service that leaves the lease of a call that has ended: the same call under its key waits for the end of the lease. */
async function keepLeases(trial: Trial, place: Place): Promise<Control> {
  const running = await startService({ flags: place.flags, imports: [plantedFaults.stuckLeases] })
  let slowestMs = 0
  try {
    const client = await openApiClient({ ...running, maxReplySeconds: controlWaitSeconds })
    const [token = ''] = await makeSavedTokens(running, 1)
    for (let attempt = 0; slowestMs <= maxKeyedCallMs && attempt < maxAttempts; attempt++) {
      const call = await prepareCall(client, token, false)
      place.proxy.cutCommit({ at: 'reply', skip: 0 })
      const first = await client.call(call.method, call.params, call.key)
      place.proxy.cutCommit(null)
      if (!isUnknown(first)) continue
      slowestMs = (await timed(() => client.call(call.method, call.params, call.key))).ms
    }
    client.close()
  } finally {
    await running.kill()
  }
  trial.say(`control: the call under its key took ${Math.round(slowestMs)} ms or more`)
  const details = `the same call under its key took ${Math.round(slowestMs)} ms or more`
  return { what: 'the lease of a call that has ended is left', isFound: slowestMs > maxKeyedCallMs, details }
}

const commitsOfPayment = 3
/** The commits of background jobs pass the proxy too, and may be the one that is cut. */
const maxAttempts = 5
const controlWaitSeconds = 6
