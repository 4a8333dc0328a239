import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { tokenOf, type ApiClient, type CallOutcome } from './api-client.ts'
import { describeLoad, measureLoad, nameOfCommand, runLongCommand, type LoadBesideCommand, type LoadWithCommand } from './command-load.ts'
import { eventLoopMeasurement, plantStall, readEventLoopDelays } from './event-loop-delays.ts'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { fillCards } from './fill-cards.ts'
import { findLost, longLifetimes, stopAndVerify } from './inspect.ts'
import { makeLedger, type Ledger } from './ledger.ts'
import { panWithOurOtp } from './load.ts'
import { startService } from './spawn.ts'
import { largest } from './statistics.ts'

/** An operator runs commands that go through whole tables, beside a load. */
export const commandsUnderLoad: Experiment = {
  name: 'commands',
  question: 'Do calls go on while audit verify, audit export, consents export or store check goes through whole tables?',
  stores: ['sqlite', 'postgres'],
  cycles: 1,
  needs: ['script'],
  run: (trial) => runCommands(trial, { cards: 20_000, calmMs: 10_000 }),
}

/** As they are typed, with `<merchant>` and `<file>` in place of their values, and whether the command shows how far it is. */
const longCommands = [
  { words: ['audit', 'verify'], isWalk: true },
  { words: ['audit', 'export', '<file>'], isWalk: false },
  { words: ['consents', 'export', '--merchant', '<merchant>'], isWalk: false },
  { words: ['store', 'check'], isWalk: true },
] as const

export interface CommandTrialSize {
  /** With a consent and the audit entries of each. */
  readonly cards: number
  /** Without a command, before and after. */
  readonly calmMs: number
}

/** Fills a store, and runs each command beside new cards and checks. */
export async function runCommands(trial: Trial, { cards, calmMs }: CommandTrialSize): Promise<ExperimentResult> {
  const { store, cycles, dataFactory, say } = trial
  const serviceData = await dataFactory.create(store)
  const delaysFile = join(serviceData.folder, 'delays.json')
  try {
    await fillCards(serviceData, { count: cards, flags: longLifetimes, say })
    const measured = eventLoopMeasurement(delaysFile)
    const running = await startService({ flags: [...serviceData.flags, ...longLifetimes, '--log-level=warn'], ...measured })
    const ledger = makeLedger()
    const load: LoadBesideCommand = {
      perSecond: callsPerSecond / 2,
      call: (client) => createAndCheck(client, ledger),
      readDelays: () => readEventLoopDelays(running, delaysFile),
    }
    const calm = async (): Promise<number> => pause(calmMs, 0)
    // The code of a service that was just started is being compiled.
    await measureLoad(running, load, calm)
    const before = await measureLoad(running, load, calm)
    const during: NamedLoad[] = []
    for (const command of Array.from({ length: cycles }, () => longCommands).flat()) {
      const run = (): Promise<number> => runLongCommand(serviceData, running, { words: command.words, isAtTerminal: command.isWalk })
      during.push({ name: nameOfCommand(command.words), isWalk: command.isWalk, ...(await measureLoad(running, load, run)) })
      const last = during.at(-1)
      if (last !== undefined) say(`${last.name}: ${describeLoad(last)}`)
    }
    const after = await measureLoad(running, load, calm)
    const planted = await measureLoad(running, load, async () => {
      await plantStall(running)
      return 0
    })
    const lost = await findLost(running, ledger.cards)
    return {
      acknowledged: ledger.countAcknowledged(),
      lost: lost.length,
      cycles,
      complaints: [...during.flatMap(findCommandFaults), ...lost, ...(await stopAndVerify(running, serviceData))],
      table: tableOf([{ name: 'before', ...before }, ...during, { name: 'after', ...after }]),
      metrics: {
        filled_cards: cards,
        longest_work_ms: largest(during.map(({ longestWorkMs }) => longestWorkMs)),
        longest_healthz_ms: largest(during.map(({ slowestHealthMs }) => slowestHealthMs)),
        p99_before_ms: before.callsP99Ms,
        p99_during_ms: largest(during.map(({ callsP99Ms }) => callsP99Ms)),
        p99_after_ms: after.callsP99Ms,
      },
      control: {
        what: 'a stall of the event loop',
        isFound: findStall({ name: 'the planted stall', ...planted }).length > 0,
        details: `${planted.longestWorkMs.toFixed(0)} ms of CPU`,
      },
    }
  } finally {
    await serviceData.remove()
  }
}

interface NamedLoad extends LoadWithCommand {
  readonly name: string
  readonly isWalk?: boolean
}

async function createAndCheck(client: ApiClient, ledger: Ledger): Promise<CallOutcome> {
  const created = await client.create(panWithOurOtp)
  if (created.kind !== 'result') return created
  return client.check(ledger.addCard(tokenOf(created.result)).token)
}

function findCommandFaults(found: NamedLoad): string[] {
  const { name, isWalk, progressLines, failed } = found
  return [
    ...findStall(found),
    ...(isWalk === true && progressLines === 0 ? [`${name} did not show how far it was`] : []),
    ...(failed === 0 ? [] : [`${failed} calls had no result beside ${name}`]),
  ]
}

/** By the CPU time of the thread: a thread that waits for a processor on a busy machine stands still, too. */
function findStall({ name, longestWorkMs }: NamedLoad): string[] {
  return longestWorkMs <= maxStallMs ? [] : [`the event loop was blocked for ${longestWorkMs.toFixed(0)} ms of CPU by ${name}`]
}

function tableOf(rows: readonly NamedLoad[]): string[][] {
  return [
    ['', 'seconds', 'longest stall, CPU ms', 'longest stall, ms', '/healthz, ms', 'p99 of calls, ms', 'without result', 'shown progress'],
    ...rows.map(({ name, seconds, failed, progressLines, ...found }) => [
      name,
      ...[seconds, found.longestWorkMs, found.longestMs, found.slowestHealthMs, found.callsP99Ms].map((value) => value.toFixed(1)),
      String(failed),
      String(progressLines),
    ]),
  ]
}

const callsPerSecond = 50
const maxStallMs = 50
