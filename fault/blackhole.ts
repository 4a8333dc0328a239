import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Experiment, Finding, Trial } from './experiment.ts'
import { largest } from './figures.ts'
import { askDatabase, makeHome, type Home } from './home.ts'
import { lives, reopen } from './inspect.ts'
import { makeLedger, type Ledger } from './ledger.ts'
import { runLoad, untilCardMade } from './load.ts'
import { openProxy, type Proxy } from './proxy.ts'
import { makeRandom, type Random } from './random.ts'
import { startTessera, type Running } from './spawn.ts'
import type { Outcome } from './wire.ts'

/** The way to the database goes silent, or breaks right after COMMIT. */
export const blackhole: Experiment = {
  name: 'blackhole',
  question: 'When the database goes silent, or the connection breaks after COMMIT, does every call end in 3 s with an answer to try again?',
  stores: ['postgres'],
  cycles: 3,
  needs: [],
  async run(trial) {
    const home = await trial.homes.make(trial.store)
    const proxy = await openProxy(addressOf(home))
    try {
      const found = await breakOften(trial, home, proxy)
      return { ...found, control: await hangWithDefaults(home, proxy) }
    } finally {
      await proxy.close()
      await home.remove()
    }
  },
}

async function breakOften({ cycles, seed, say }: Trial, home: Home, proxy: Proxy): Promise<Omit<Finding, 'control'>> {
  const random = makeRandom(seed)
  const ledger = makeLedger()
  const seen: Seen = { slowestMs: 0, complaints: [], recoveryMs: [], resets: 0 }
  const running = await startTessera({ flags: [...makeHome(home.folder, throughProxy(home, proxy)).flags, ...lives] })
  try {
    for (let cycle = 0; cycle < cycles; cycle++) {
      await holdOnce(running, proxy, { ledger, random, seen })
      await resetOften(running, proxy, { ledger, random, seen })
      say(`${cycle + 1} of ${cycles} breaks, slowest call ${Math.round(seen.slowestMs)} ms`)
    }
    await pause(1000)
    const open = await countConnections(home)
    if (open > connectionsMax) seen.complaints.push(`${open} connections are open, and ${connectionsMax} are the most that it needs`)
  } finally {
    await running.stop()
  }
  const { lost, complaints } = await reopen(home, ledger)
  return {
    ...{ acknowledged: ledger.countAcknowledged(), lost: lost.length, cycles, complaints: [...seen.complaints, ...complaints, ...lost] },
    figures: { slowest_call_ms: Math.round(seen.slowestMs), recovery_ms_most: Math.round(largest(seen.recoveryMs)), resets: seen.resets },
  }
}

interface Seen {
  slowestMs: number
  resets: number
  readonly recoveryMs: number[]
  readonly complaints: string[]
}

interface Hand {
  readonly ledger: Ledger
  readonly random: Random
  readonly seen: Seen
}

/** Under load, nothing gets through for a while. Afterwards it has to work again by itself. */
async function holdOnce(running: Running, proxy: Proxy, hand: Hand): Promise<void> {
  const until = new AbortController()
  const load = sendLoad(running, hand, until.signal)
  await pause(hand.random.between(100, 400))
  proxy.hold()
  await pause(heldMs)
  proxy.release()
  hand.seen.recoveryMs.push(await untilCardMade(running, wellMsMax))
  until.abort()
  await load
}

/** Under load, the word that it committed is lost several times: the outcome is unknown, and is said to be. */
async function resetOften(running: Running, proxy: Proxy, hand: Hand): Promise<void> {
  const until = new AbortController()
  const load = sendLoad(running, hand, until.signal)
  proxy.resetAtCommit(resetsACycle)
  for (let waited = 0; proxy.resetsLeft() > 0 && waited < 5000; waited += 50) await pause(50)
  hand.seen.resets += resetsACycle - proxy.resetsLeft()
  if (proxy.resetsLeft() > 0) hand.seen.complaints.push(`only ${resetsACycle - proxy.resetsLeft()} commits came by to be reset`)
  proxy.resetAtCommit(0)
  hand.seen.recoveryMs.push(await untilCardMade(running, wellMsMax))
  until.abort()
  await load
}

async function sendLoad(running: Running, { ledger, random, seen }: Hand, until: AbortSignal): Promise<void> {
  const answered = (outcome: Outcome, ms: number): void => {
    seen.slowestMs = Math.max(seen.slowestMs, ms)
    if (ms > callMsMax)
      seen.complaints.push(`a call took ${Math.round(ms)} ms: ${outcome.kind === 'refused' ? outcome.reason : outcome.kind}`)
    if (outcome.kind === 'refused' && !isRetryable(outcome))
      seen.complaints.push(`refused with ${outcome.reason}, status ${outcome.status}`)
    if (outcome.kind === 'lost') seen.complaints.push(`a call was not answered: ${outcome.why}`)
  }
  await runLoad({ ...running, connections: 8, ledger, random, until, answered, pauseMsMax: 5 })
}

function isRetryable({ status, reason }: Extract<Outcome, { kind: 'refused' }>): boolean {
  return status === 503 && ['store_unavailable', 'outcome_unknown', 'overloaded'].includes(reason)
}

async function countConnections(home: Home): Promise<number> {
  const [row] = await askDatabase(
    home.databaseUrl ?? '',
    `select count(*)::int as open from pg_stat_activity where datname = current_database() and application_name = 'tessera'`,
  )
  return Number(row?.['open'])
}

/** The driver with its own defaults, on the same silent way. */
async function hangWithDefaults(home: Home, proxy: Proxy): Promise<Finding['control']> {
  const client = new pg.Client({ connectionString: throughProxy(home, proxy) })
  client.on('error', () => undefined)
  await client.connect()
  proxy.hold()
  const answer = client.query('select 1').then(
    () => 'answered',
    () => 'refused',
  )
  const seen = await Promise.race([answer, pause(callMsMax + 1000, 'silent')])
  proxy.release()
  await answer
  await client.end()
  return { what: "the driver's own defaults", isFound: seen === 'silent', seen: `${seen} after ${callMsMax + 1000} ms` }
}

function addressOf(home: Home): { host: string; port: number } {
  const { hostname, port } = new URL(home.databaseUrl ?? '')
  return { host: hostname, port: Number(port) }
}

function throughProxy(home: Home, proxy: Proxy): string {
  const url = new URL(home.databaseUrl ?? '')
  url.hostname = '127.0.0.1'
  url.port = String(proxy.port)
  return url.href
}

const heldMs = 5000
const callMsMax = 3000
const wellMsMax = 15_000
const resetsACycle = 5
/** Four that write, two that read, the keys' one. */
const connectionsMax = 7
