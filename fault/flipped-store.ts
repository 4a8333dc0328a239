import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { dataFolderOf, findLost, longLifetimes } from './inspect.ts'
import type { Ledger } from './ledger.ts'
import { runLoad } from './load.ts'
import type { Random } from './random.ts'
import type { ServiceData } from './service-data.ts'
import { runCommandHere } from './command-in-process.ts'
import { ProgramNotStarted, startService, type RunningService } from './spawn.ts'

/** What a service and its commands say of a store in which bits were flipped. */
export interface FlipJudgement {
  /** What ended with another exit code than 0, with that code: the start or a command. Null when nothing did. */
  readonly reportedBy: string | null
  /** Set when that is no report of damage: what was printed by a start or a command that called it an internal error. */
  readonly misreported: string | null
  /** Acknowledged facts that are answered otherwise; only looked for when nothing was reported. */
  readonly lost: readonly string[]
  /** Audit entries that were walked; 0 when that was not reached. */
  readonly entries: number
}

/** The flags of a service that exports a checkpoint for each entry. */
export const flagsOf = (serviceData: ServiceData): string[] => [...serviceData.flags, ...longLifetimes, '--audit-checkpoint-entries=1']

/** Starts a service on the store, lets the commands check it, and asks for every acknowledged fact unless something was reported. */
export async function judgeStore(serviceData: ServiceData, ledger: Ledger, imports: readonly URL[] = []): Promise<FlipJudgement> {
  const running = await startService({ flags: flagsOf(serviceData), imports }).catch((err: unknown) => {
    if (err instanceof ProgramNotStarted && err.exitCode !== null) return { code: err.exitCode, out: err.message }
    throw err
  })
  if ('code' in running) return { ...reportOf('start', running), lost: [], entries: 0 }
  try {
    return await judgeRunning(running, serviceData, ledger)
  } finally {
    await running.kill()
  }
}

async function judgeRunning(running: RunningService, serviceData: ServiceData, ledger: Ledger): Promise<FlipJudgement> {
  let entries = 0
  for (const command of ['audit verify', 'store check'] as const) {
    const ended = await runCommandHere([...command.split(' '), '--json', `--data=${dataFolderOf(serviceData)}`])
    // The log of the service says more of an internal error than its reply.
    const out = `${ended.out}\n${running.output()}`
    if (ended.code !== 0) return { ...reportOf(command, { ...ended, out }), lost: [], entries }
    entries = (JSON.parse(ended.out) as { entries: number }).entries
  }
  return { reportedBy: null, misreported: null, lost: await findLost(running, ledger.cards), entries }
}

/** Creates, verifies and removes cards until this many calls are acknowledged, and returns once all of them have a reply. */
export async function writeFacts(running: RunningService, { ledger, random, count }: FactsToWrite): Promise<void> {
  const over = new AbortController()
  const until = ledger.countAcknowledged() + count
  const onReply = (): void => {
    if (ledger.countAcknowledged() >= until) over.abort()
  }
  await runLoad({ ...running, connections: 4, ledger, random, until: over.signal, onReply })
}

/** Acknowledged calls of a service before it is stopped or killed; fewer in a short trial. */
export function factsFor(cycles: number): number {
  return cycles < 10 ? 80 : 250
}

export interface FactsToWrite {
  readonly ledger: Ledger
  readonly random: Random
  readonly count: number
}

/** Flips bits at random places of some files, taken as one. */
export function flipBits(paths: readonly string[], { random, count }: { readonly random: Random; readonly count: number }): void {
  const files = paths.map((path) => ({ path, bytes: statSync(path).size }))
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  for (let flip = 0; flip < count; flip++) {
    let at = random.between(0, total - 1)
    for (const { path, bytes } of files) {
      if (at < bytes) {
        flipBit(path, at, random.between(0, 7))
        break
      }
      at -= bytes
    }
  }
}

function flipBit(path: string, at: number, bit: number): void {
  const file = openSync(path, 'r+')
  try {
    const byte = Buffer.alloc(1)
    readSync(file, byte, 0, 1, at)
    byte.writeUInt8(byte.readUInt8(0) ^ (1 << bit))
    writeSync(file, byte, 0, 1, at)
  } finally {
    closeSync(file)
  }
}

/** `start (exit 65)`. */
function reportOf(
  by: string,
  { code, out }: { readonly code: number | null; readonly out: string },
): Pick<FlipJudgement, 'reportedBy' | 'misreported'> {
  return { reportedBy: `${by} (exit ${String(code)})`, misreported: code === internalError ? out.trim() : null }
}

const internalError = 70
