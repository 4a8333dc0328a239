import { openApiClient, tokenOf, type ApiClientOptions } from './api-client.ts'
import { ConnectionLost } from './http-connection.ts'
import { observeCard } from './inspect.ts'
import { panWithOurOtp } from './load.ts'
import type { Random } from './random.ts'
import type { ServiceData } from './service-data.ts'
import { countCards, countRemovedCards } from './statement.ts'

/** A card that was created, or removed, and when its caller knew it. Times are of performance.now(). */
export interface HistoryFact {
  readonly kind: 'created' | 'removed'
  readonly token: string
  readonly sentAt: number
  /** Null when no reply came: it may have happened. */
  readonly acknowledgedAt: number | null
}

/** What callers sent and were told, in the order of time. */
export interface CallHistory {
  readonly facts: HistoryFact[]
  /** How long each call took, ms, with when it was sent. */
  readonly calls: { readonly sentAt: number; readonly ms: number }[]
  readonly refusals: Map<string, number>
  /** Creations without a reply. */
  unknownCreations: number
}

export function makeCallHistory(): CallHistory {
  return { facts: [], calls: [], refusals: new Map(), unknownCreations: 0 }
}

/** Creates cards and removes a third of them, until it is aborted or the service is gone. */
export async function recordHistory(
  options: ApiClientOptions & { readonly connections: number; readonly random: Random; readonly until: AbortSignal },
  history: CallHistory,
): Promise<void> {
  await Promise.all(Array.from({ length: options.connections }, () => recordConnection(options, history)))
}

async function recordConnection(options: Parameters<typeof recordHistory>[0], history: CallHistory): Promise<void> {
  const client = await openApiClient(options).catch((err: unknown) => {
    if (err instanceof ConnectionLost) return null
    throw err
  })
  if (client === null) return
  const { facts, calls, refusals } = history
  const own: string[] = []
  while (!options.until.aborted) {
    const removed = options.random.chance(0.33) ? own.pop() : undefined
    const sentAt = performance.now()
    const outcome = await (removed === undefined ? client.create(panWithOurOtp) : client.remove(removed))
    const now = performance.now()
    if (outcome.kind === 'result') {
      const token = removed ?? tokenOf(outcome.result)
      calls.push({ sentAt, ms: now - sentAt })
      facts.push({ kind: removed === undefined ? 'created' : 'removed', token, sentAt, acknowledgedAt: now })
      if (removed === undefined) own.push(token)
    } else if (outcome.kind === 'refused') refusals.set(outcome.reason, (refusals.get(outcome.reason) ?? 0) + 1)
    else {
      if (removed === undefined) history.unknownCreations += 1
      else facts.push({ kind: 'removed', token: removed, sentAt, acknowledgedAt: null })
      break
    }
  }
  client.close()
}

/** What a service has of a history. */
export interface HistoryComparison {
  readonly present: number
  readonly absent: number
  /** Acknowledged facts that are absent although a fact that was sent later is present: what is there is no beginning of the history. */
  readonly outOfOrder: number
  /** When the first absent fact was acknowledged; Infinity when none is absent. */
  readonly firstAbsentAt: number
  /** When the last present fact was sent; -Infinity when none is present. */
  readonly lastPresentAt: number
}

/** Asks a service for every fact of a history. */
export async function compareHistory(options: ApiClientOptions, { facts }: CallHistory): Promise<HistoryComparison> {
  const states = await readStates(options, new Set(facts.map(({ token }) => token)))
  const isPresent = ({ kind, token }: HistoryFact): boolean =>
    kind === 'removed' ? states.get(token) === 'removed' : states.get(token) !== 'absent'
  const known = facts.filter(({ acknowledgedAt }) => acknowledgedAt !== null)
  const present = known.filter(isPresent)
  const absent = known.filter((fact) => !isPresent(fact))
  const lastPresentAt = present.reduce((latest, { sentAt }) => Math.max(latest, sentAt), -Infinity)
  const firstAbsentAt = absent.reduce((first, { acknowledgedAt }) => Math.min(first, acknowledgedAt ?? Infinity), Infinity)
  const outOfOrder = absent.filter(({ acknowledgedAt }) => (acknowledgedAt ?? Infinity) < lastPresentAt).length
  return {
    present: present.length,
    absent: absent.length,
    outOfOrder,
    firstAbsentAt,
    lastPresentAt,
  }
}

async function readStates(options: ApiClientOptions, tokens: Iterable<string>): Promise<Map<string, 'card' | 'removed' | 'absent'>> {
  const states = new Map<string, 'card' | 'removed' | 'absent'>()
  const left = [...tokens].values()
  const readRest = async (): Promise<void> => {
    const client = await openApiClient(options)
    for (const token of left) states.set(token, observeCard(await client.check(token)).kind)
    client.close()
  }
  await Promise.all(Array.from({ length: 4 }, readRest))
  return states
}

/** The 99th percentile of the calls that were sent between two times, ms; NaN when there were none. */
export function p99Between({ calls }: CallHistory, from: number, to: number): number {
  const times = calls.filter(({ sentAt }) => sentAt >= from && sentAt < to).map(({ ms }) => ms)
  times.sort((one, other) => one - other)
  return times[Math.min(times.length - 1, Math.floor(times.length * 0.99))] ?? NaN
}

/** When a backup began and ended, of performance.now(). */
export interface MadeBackupTimes {
  readonly folder: string
  readonly begunAt: number
  readonly endedAt: number
}

/** What is present is a beginning of the history: with everything from before the backup, and nothing from after it. */
export function judgePrefix(found: HistoryComparison, { begunAt, endedAt }: Pick<MadeBackupTimes, 'begunAt' | 'endedAt'>): string[] {
  const complaints: string[] = []
  if (found.outOfOrder > 0) complaints.push(`${found.outOfOrder} acknowledged facts are absent although later ones are present`)
  if (found.firstAbsentAt < begunAt) complaints.push('a fact that was acknowledged before the backup began is absent')
  if (found.lastPresentAt > endedAt) complaints.push('a fact that was sent after the backup had ended is present')
  if (found.absent === 0) complaints.push('nothing was acknowledged after the backup, so the restore proves nothing')
  return complaints
}

export function describeFound({ present, absent }: HistoryComparison): Record<string, number> {
  return { present, behind_the_backup: absent }
}

/** How many outcomes of a history are unknown, and how many of these calls had happened by the database that the killed service left. */
export async function countUnknownOutcomes(
  { facts, unknownCreations }: CallHistory,
  serviceData: ServiceData,
): Promise<Record<string, number>> {
  const count = (kind: HistoryFact['kind'], isKnown: boolean): number =>
    facts.filter((fact) => fact.kind === kind && (fact.acknowledgedAt !== null) === isKnown).length
  const created = (await countCards(serviceData)) - count('created', true)
  const removed = (await countRemovedCards(serviceData)) - count('removed', true)
  return { unknown_outcomes: unknownCreations + count('removed', false), unknown_that_had_happened: created + removed }
}
