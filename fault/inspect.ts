import { join } from 'node:path'
import type { Home } from './home.ts'
import { judge, type Fate, type Ledger, type Seen } from './ledger.ts'
import { sandboxCode } from './load.ts'
import { runTessera, startTessera, type Running } from './spawn.ts'
import { isVerified, openWire, type Outcome, type Wire, type WireStart } from './wire.ts'

/** Asks cards.check for every card of the ledger, and tells those that are not as acknowledged. */
export async function findLost(start: WireStart, fates: readonly Fate[]): Promise<string[]> {
  const lost: string[] = []
  await askEach(start, fates, async (wire, fate) => {
    const fault = judge(fate, see(await wire.check(fate.token)))
    if (fault !== null) lost.push(`card ${fate.token.slice(0, 24)} ${fault}`)
  })
  return lost
}

/** Submits the code of every card whose code was acknowledged and never submitted: it has to be right still. */
export async function findLostCodes(start: WireStart, fates: readonly Fate[]): Promise<string[]> {
  const open = fates.filter(({ code, verify, remove }) => code === 'acknowledged' && verify === 'no' && remove === 'no')
  const lost: string[] = []
  await askEach(start, open, async (wire, fate) => {
    fate.verify = 'asked'
    const outcome = await wire.verify(fate.token, sandboxCode)
    if (outcome.kind === 'result' && isVerified(outcome.result)) fate.verify = 'acknowledged'
    else lost.push(`card ${fate.token.slice(0, 24)}: its code was acknowledged, and is answered ${tell(outcome)}`)
  })
  return lost
}

/** Has the running service recompute its audit; what is wrong with it, or nothing. */
export async function findAuditFaults(home: Home): Promise<string[]> {
  const { code, out } = await runTessera(['audit', 'verify', '--json', ...home.flags.filter((flag) => flag.startsWith('--data='))])
  return code === 0 ? [] : [`tessera audit verify ended with ${String(code)}: ${out.trim().slice(0, 500)}`]
}

/** All of the ledger, held against a service that runs. */
export async function findAllLost(running: Running, { fates }: Ledger): Promise<string[]> {
  return [...(await findLostCodes(running, fates)), ...(await findLost(running, fates))]
}

/** The audit is whole, and SIGTERM ends the service with 0. */
export async function endWell(running: Running, home: Home): Promise<string[]> {
  const faults = await findAuditFaults(home)
  const code = await running.stop()
  return code === 0 ? faults : [...faults, `SIGTERM ended the service with ${String(code)}: ${running.said().slice(-500)}`]
}

/** Starts once more without any fault, and tells what was lost and what else is wrong. */
export async function reopen(home: Home, ledger: Ledger): Promise<{ lost: string[]; complaints: string[]; startMs: number }> {
  const running = await startTessera({ flags: [...home.flags, ...lives] })
  const lost = await findAllLost(running, ledger)
  return { lost, complaints: await endWell(running, home), startMs: running.startMs }
}

/** Nothing ends by its age within a run. */
export const lives: readonly string[] = ['--unverified-life-minutes=1440', '--otp-life-seconds=600']

export function dataFolderOf(home: Home): string {
  return join(home.folder, 'data')
}

async function askEach(start: WireStart, fates: readonly Fate[], ask: (wire: Wire, fate: Fate) => Promise<void>): Promise<void> {
  const left = fates.values()
  const askRest = async (): Promise<void> => {
    const wire = await openWire(start)
    try {
      for (const fate of left) await ask(wire, fate)
    } finally {
      wire.close()
    }
  }
  await Promise.all(Array.from({ length: connections }, askRest))
}

export function see(outcome: Outcome): Seen {
  if (outcome.kind === 'result') return { kind: 'card', verified: isVerified(outcome.result) }
  return tell(outcome) === 'card_deleted' ? { kind: 'removed' } : { kind: 'absent', reason: tell(outcome) }
}

function tell(outcome: Outcome): string {
  return outcome.kind === 'refused' ? outcome.reason : outcome.kind === 'lost' ? `not at all (${outcome.why})` : 'a card'
}

const connections = 4
