import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openApiClient } from './api-client.ts'
import { peerSwitchVariable } from './doubles/peer-switch.ts'
import type { Experiment, Trial } from './experiment.ts'
import { dataFolderOf, longLifetimes } from './inspect.ts'
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
import { createServiceData, makeFolder, type ServiceData } from './service-data.ts'
import { startService, type RunningService } from './spawn.ts'
import { largest, percentile } from './statistics.ts'

/** The process of a keyed payment is killed while the network is asked; the same call is sent to another process, on SQLite after a restart. */
export const killedProcess: Experiment = {
  name: 'killed-process',
  question: 'When the process of a keyed payment is killed, does the same call end within 3 s elsewhere, and is the card debited once?',
  stores: ['postgres', 'sqlite'],
  cycles: 3,
  needs: [],
  async run(trial) {
    const found = await killPaying(trial, trial.cycles, [])
    const blind = await killPaying(trial, 1, [plantedFaults.blindProcesses])
    const slowestMs = largest(blind.calls.flatMap(({ retryMs }) => retryMs))
    const { calls } = found
    return {
      acknowledged: calls.filter(({ outcome }) => outcome?.kind === 'result').length + found.cards,
      lost: found.lost.length,
      cycles: calls.length,
      complaints: [...found.complaints, ...found.lost],
      control: {
        what: 'nobody sees that the process has ended',
        isFound: slowestMs > maxKeyedCallMs,
        details: `the same call elsewhere took ${Math.round(slowestMs)} ms or more`,
      },
      metrics: {
        duplicate_ms_most: Math.round(largest(calls.flatMap(({ retryMs }) => retryMs))),
        unknown_outcomes: calls.filter(({ isUnknown: was }) => was).length,
        unknown_that_had_happened: calls.filter(({ isUnknown: was, hadHappened }) => was && hadHappened).length,
        p99_before_ms: percentile(found.beforeMs, 0.99),
        p99_during_ms: percentile(
          calls.flatMap(({ retryMs }) => retryMs),
          0.99,
        ),
        p99_after_ms: percentile(found.afterMs, 0.99),
      },
    }
  },
}

interface KilledResult {
  readonly calls: readonly KeyedCall[]
  /** Cards that were acknowledged before. */
  readonly cards: number
  readonly complaints: readonly string[]
  readonly lost: readonly string[]
  /** Payments before the first kill and after the last. */
  readonly beforeMs: readonly number[]
  readonly afterMs: readonly number[]
}

/** Kills a process `cycles` times in the middle of a payment, then finds out what became of each. With a planted fault it only measures the first. */
async function killPaying(trial: Trial, cycles: number, imports: readonly URL[]): Promise<KilledResult> {
  const place = await openPlace(trial, imports)
  const [calls, complaints]: [KeyedCall[], string[]] = [[], []]
  try {
    let first = await place.start()
    const [token = ''] = await makeSavedTokens(first, 1)
    const beforeMs = imports.length > 0 ? [] : await payOn(first, token)
    for (let cycle = 0; cycle < cycles; cycle++) {
      place.setNetworkDelay(networkMs)
      await pause(switchMs)
      const call = await payAndKill(first, place, token)
      calls.push(call)
      place.setNetworkDelay(0)
      trial.say(`${imports.length > 0 ? 'control: ' : ''}the same call elsewhere took ${call.retryMs.map(Math.round).join()} ms`)
      if (largest(call.retryMs) > maxKeyedCallMs) complaints.push(`the same call elsewhere took ${Math.round(largest(call.retryMs))} ms`)
      first = await place.start()
    }
    if (imports.length > 0) return { calls, cards: 1, complaints, lost: [], beforeMs, afterMs: [] }
    const client = await openApiClient(first)
    await resolveAll(client, calls, complaints)
    const lost = await findUndone(client, place.serviceData, calls)
    if ((await client.check(token)).kind !== 'result') lost.push('an acknowledged card is denied')
    client.close()
    return { calls, cards: 1, complaints, lost, beforeMs, afterMs: await payOn(first, token) }
  } finally {
    await place.close()
  }
}

async function payOn(running: RunningService, token: string): Promise<number[]> {
  const client = await openApiClient(running)
  return payCalmly(client, token).finally(() => client.close())
}

async function payAndKill(paying: RunningService, place: KilledPlace, token: string): Promise<KeyedCall> {
  const client = await openApiClient(paying)
  const call = await prepareCall(client, token, false)
  const pending = client.call(call.method, call.params, call.key)
  await pause(networkMs / 4)
  // On PostgreSQL the duplicate is in progress when the process is killed.
  const duplicate = place.other === null ? null : sendDuplicate(place.other, call)
  await pause(networkMs / 8)
  await paying.kill()
  await pending
  client.close()
  const restarted = place.other === null ? await place.start() : null
  const startedAt = performance.now()
  const { outcome, ms } = await (duplicate ?? sendDuplicate(restarted ?? paying, call))
  // Of a duplicate that was waiting, only the time after the kill counts.
  call.retryMs.push(duplicate === null ? ms : performance.now() - startedAt)
  call.outcome = outcome
  call.isUnknown = isUnknown(outcome)
  call.hadHappened = (await countDone(place.serviceData, call)) > 0
  if (outcome.kind === 'refused' && !call.isUnknown) throw new Error(`the same call elsewhere was refused with ${formatOutcome(outcome)}`)
  await restarted?.stop()
  return call
}

async function sendDuplicate(start: RunningService, call: KeyedCall) {
  const client = await openApiClient({ ...start, maxReplySeconds: duplicateWaitSeconds })
  return timed(() => client.call(call.method, call.params, call.key)).finally(() => client.close())
}

interface KilledPlace {
  readonly serviceData: ServiceData
  /** A second process on the same database; null on SQLite. */
  readonly other: RunningService | null
  /** Starts the process that is killed. */
  start(): Promise<RunningService>
  setNetworkDelay(ms: number): void
  close(): Promise<void>
}

async function openPlace({ dataFactory, store }: Trial, imports: readonly URL[]): Promise<KilledPlace> {
  const serviceData = await dataFactory.create(store)
  const switches = makeFolder()
  const env = { [peerSwitchVariable]: switches }
  const all = [plantedFaults.slowPeers, ...imports]
  const startOn = ({ flags }: ServiceData): Promise<RunningService> =>
    startService({ flags: [...flags, ...longLifetimes, '--limits=off'], imports: all, env })
  let running = await startOn(serviceData)
  let isNew = true
  const other = store === 'postgres' ? createServiceData(makeFolder(), serviceData.databaseUrl) : null
  if (other !== null) {
    mkdirSync(dataFolderOf(other), { mode: 0o700 })
    cpSync(join(dataFolderOf(serviceData), 'development.kek'), join(dataFolderOf(other), 'development.kek'))
  }
  const second = other === null ? null : await startOn(other)
  return {
    serviceData,
    other: second,
    async start() {
      if (!isNew) running = await startOn(serviceData)
      isNew = false
      return running
    },
    setNetworkDelay(ms) {
      writeFileSync(join(switches, 'network'), String(ms))
    },
    async close() {
      await running.stop()
      await second?.stop()
      await other?.remove()
      await serviceData.remove()
    },
  }
}

/** What the network takes for one call; below its timeout. */
const networkMs = 8000
const duplicateWaitSeconds = 6
/** Until the services have read the delay. */
const switchMs = 300
