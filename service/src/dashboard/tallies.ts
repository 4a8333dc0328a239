import { bucketOf, bucketOfId } from '@tessera/vault/id'

import type { Clock } from '../clock.ts'
import type { AuditEntry, AuditHead, Store, Tally } from '../store/store.ts'

/** Counts for the charts: what the audit tells, behind the commits, and how long calls took. */
export interface Tallies {
  /** One call of the API that a merchant made. Kept in memory until the next round; a crash forgets those. */
  timed(merchantId: string, ms: number): void
  /** Counts what the audit chains tell since the last round, each entry once. */
  runOnce(stopping: AbortSignal): Promise<void>
  /** Drops the counts of hours that no chart goes back to. */
  dropPast(stopping: AbortSignal): Promise<number>
}

export interface TallyParts {
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
}

export function makeTallies({ store, clock }: TallyParts): Tallies {
  const times = new Map<string, Tally>()
  return Object.freeze({ timed, runOnce, dropPast })

  function timed(merchantId: string, ms: number): void {
    const bound = spanBounds.find((each) => ms <= each)
    add(times, { bucket: bucketOf(merchantId), merchantId, hour: hourOf(clock.now()), name: `ms:${String(bound ?? 'more')}`, count: 1 })
  }

  async function runOnce(stopping: AbortSignal): Promise<void> {
    await keepTimes()
    const places = new Map((await store.listTallyPlaces()).map(({ chain, seq }) => [chain, seq]))
    for (const head of await store.listAuditChains()) {
      let at = places.get(head.chain) ?? 0
      while (at < head.seq && !stopping.aborted) {
        const next = await countPage(head, at)
        if (next === null) break
        at = next
      }
    }
  }

  /** What cannot be kept now is kept later; what came meanwhile is added to it. */
  async function keepTimes(): Promise<void> {
    if (times.size === 0) return
    const kept = [...times.values()]
    times.clear()
    try {
      await store.addTallies(inOrder(kept), null)
    } catch (err) {
      for (const tally of kept) add(times, tally)
      throw err
    }
  }

  /** Counts one page of a chain and tells up to where; null when there is none, or somebody else has counted it. */
  async function countPage({ chain }: AuditHead, from: number): Promise<number | null> {
    const entries = await store.readAudit(chain, from, pageSize)
    // A hole is a commit that is still on its way: what is behind it waits.
    const solid = entries.filter(({ seq }, at) => seq === from + at + 1)
    const last = solid.at(-1)
    if (last === undefined) return null
    const counted = new Map<string, Tally>()
    const oldest = hourOf(clock.now()) - keptHours
    for (const entry of solid) {
      for (const tally of await tell(entry)) if (tally.hour === 0 || tally.hour >= oldest) add(counted, tally)
    }
    return (await store.addTallies(inOrder([...counted.values()]), { chain, from, to: last.seq })) ? last.seq : null
  }

  async function tell(entry: AuditEntry): Promise<Tally[]> {
    const { merchantId, subject, at, actor, action } = entry
    const name = nameOf(entry)
    if (name === null || merchantId === '') return []
    const of = { bucket: bucketOf(merchantId), merchantId }
    const tallies: Tally[] = [{ ...of, hour: hourOf(at), name, count: 1 }]
    // What somebody tried in the dashboard does not show that the merchant's own calls arrive.
    if (firsts.has(name) && !actor.startsWith('user:')) tallies.push({ ...of, hour: 0, name, count: 1 })
    if (action === 'receipt.paid') {
      const bucket = bucketOfId(subject)
      const receipt = bucket === null ? null : await store.findReceipt({ bucket, merchantId, receiptId: subject })
      if (receipt !== null) tallies.push({ ...of, hour: hourOf(at), name: 'paid_tiyin', count: receipt.takenTiyin })
    }
    return tallies
  }

  function dropPast(stopping: AbortSignal): Promise<number> {
    return store.dropTallies(hourOf(clock.now()) - keptHours, stopping)
  }
}

/** Under which word an entry is counted; null: under none. All of them are our words. */
function nameOf({ action, outcome }: AuditEntry): string | null {
  if (action === 'code.settled') return outcome === 'sent' || outcome === 'unknown' ? 'code_sent' : `code_refused:${outcome}`
  // What else a network says of a code is in the list, and no code that somebody mistyped.
  if (action === 'code.tried' && outcome !== 'wrong_code') return null
  if (action === 'receipt.refused') return `refused:${outcome}`
  return counted[action] ?? null
}

const counted: Readonly<Record<string, string>> = Object.freeze({
  'card.created': 'created',
  'card.verified': 'verified',
  'card.removed': 'removed',
  'code.tried': 'wrong_code',
  'receipt.paid': 'paid',
  'receipt.held': 'held',
})

/** What the page Start has a line for. */
const firsts: ReadonlySet<string> = new Set(['created', 'verified', 'paid'])

function add(tallies: Map<string, Tally>, tally: Tally): void {
  const key = `${tally.merchantId} ${tally.hour} ${tally.name}`
  const there = tallies.get(key)
  // More merchants an hour than this are not timed until the next round.
  if (there === undefined && tallies.size >= talliesMax) return
  tallies.set(key, { ...tally, count: tally.count + (there?.count ?? 0) })
}

function inOrder(tallies: Tally[]): Tally[] {
  return tallies.sort((a, b) => compare(a.merchantId, b.merchantId) || a.hour - b.hour || compare(a.name, b.name))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Hours since 1970, UTC. */
export function hourOf(at: number): number {
  return Math.floor(at / 3_600_000)
}

/** Up to so many milliseconds; what took longer is counted as `more`. */
export const spanBounds = Object.freeze([5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 15_000] as const)
/** The longest chart, and a day more. */
export const keptHours = 91 * 24
const pageSize = 1000
const talliesMax = 50_000
