import { join } from 'node:path'
import type { ServiceData } from './service-data.ts'
import { judgeCard, type CardRecord, type Ledger, type ObservedCard } from './ledger.ts'
import { testOtp } from './load.ts'
import { runCommandHere } from './command-in-process.ts'
import { ProgramNotStarted, startService, type RunningService } from './spawn.ts'
import { resolveUnknownOutcomes } from './unknown-outcomes.ts'
import { isVerified, openApiClient, type CallOutcome, type ApiClient, type ApiClientOptions } from './api-client.ts'

/** Calls cards.check for the given cards, and returns those that are not as acknowledged. */
export async function findLost(start: ApiClientOptions, cards: readonly CardRecord[]): Promise<string[]> {
  const lost: string[] = []
  await callForEach(start, cards, async (client, card) => {
    const fault = judgeCard(card, observeCard(await client.check(card.token)))
    if (fault !== null) lost.push(`card ${card.token.slice(0, 24)} ${fault}`)
  })
  return lost
}

/** Submits the code of every card whose code was acknowledged and never submitted. It must still be right. */
export async function findLostCodes(start: ApiClientOptions, cards: readonly CardRecord[]): Promise<string[]> {
  const open = cards.filter(({ code, verify, remove }) => code === 'acknowledged' && verify === 'none' && remove === 'none')
  const lost: string[] = []
  await callForEach(start, open, async (client, card) => {
    card.verify = 'sent'
    const outcome = await client.verify(card.token, testOtp)
    if (outcome.kind === 'result' && isVerified(outcome.result)) card.verify = 'acknowledged'
    else lost.push(`card ${card.token.slice(0, 24)}: its code was acknowledged, and the reply is ${describeOutcome(outcome)}`)
  })
  return lost
}

/** Verifies the audit log of the running service, and returns what is wrong with it. */
export async function findAuditFaults(serviceData: ServiceData): Promise<string[]> {
  const { code, out } = await runCommandHere([
    'audit',
    'verify',
    '--json',
    ...serviceData.flags.filter((flag) => flag.startsWith('--data=')),
  ])
  return code === 0 ? [] : [`tessera audit verify ended with ${String(code)}: ${out.trim().slice(0, 500)}`]
}

/** Compares the whole ledger with a running service. */
export async function findAllLost(running: RunningService, { cards: cards }: Ledger): Promise<string[]> {
  return [...(await findLostCodes(running, cards)), ...(await findLost(running, cards))]
}

/** Verifies the audit log, and stops the service with SIGTERM. Returns what is wrong. */
export async function stopAndVerify(running: RunningService, serviceData: ServiceData): Promise<string[]> {
  const faults = await findAuditFaults(serviceData)
  const code = await running.stop()
  return code === 0 ? faults : [...faults, `SIGTERM ended the service with ${String(code)}: ${running.output().slice(-500)}`]
}

/** Starts once more without a fault, finds out what became of the calls of unknown outcome, and returns what was lost and what else is wrong. */
export async function reopen(serviceData: ServiceData, ledger: Ledger): Promise<{ lost: string[]; complaints: string[]; startMs: number }> {
  const running = await startService({ flags: [...serviceData.flags, ...longLifetimes] })
  await resolveUnknownOutcomes(running, serviceData, ledger)
  const lost = await findAllLost(running, ledger)
  return { lost, complaints: await stopAndVerify(running, serviceData), startMs: running.startMs }
}

/** The output of a start that has to be refused. */
export async function readRefusal(serviceData: ServiceData): Promise<string> {
  try {
    const running = await startService({ flags: serviceData.flags })
    await running.kill()
    return 'it started'
  } catch (err) {
    if (err instanceof ProgramNotStarted) return err.message
    throw err
  }
}

/** Nothing expires within a run. */
export const longLifetimes: readonly string[] = ['--unverified-lifetime-minutes=1440', '--otp-lifetime-seconds=600']

export function dataFolderOf(serviceData: ServiceData): string {
  return join(serviceData.folder, 'data')
}

async function callForEach(
  start: ApiClientOptions,
  cards: readonly CardRecord[],
  ask: (client: ApiClient, card: CardRecord) => Promise<void>,
): Promise<void> {
  const left = cards.values()
  const askRest = async (): Promise<void> => {
    const client = await openApiClient(start)
    try {
      for (const card of left) await ask(client, card)
    } finally {
      client.close()
    }
  }
  await Promise.all(Array.from({ length: connections }, askRest))
}

export function observeCard(outcome: CallOutcome): ObservedCard {
  if (outcome.kind === 'result') return { kind: 'card', verified: isVerified(outcome.result) }
  return describeOutcome(outcome) === 'card_deleted' ? { kind: 'removed' } : { kind: 'absent', reason: describeOutcome(outcome) }
}

function describeOutcome(outcome: CallOutcome): string {
  return outcome.kind === 'refused' ? outcome.reason : outcome.kind === 'lost' ? `no reply (${outcome.why})` : 'a card'
}

const connections = 4
