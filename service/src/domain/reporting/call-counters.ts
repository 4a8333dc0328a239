import { currentAuditAction } from '@tessera/contract/audit'
import type { ErrorName } from '@tessera/contract/errors'
import type { OperationName } from '@tessera/contract/operations'
import { bucketOf } from '@tessera/vault/id'

import type { Clock } from '../../clock.ts'
import { type AuditHead, listAuditHeads } from '../../store/audit.ts'
import { type EntryGroup, type EntryPage, groupEntries, listEntryPlaces } from '../../store/audit-counts.ts'
import { addCounters, type CounterRow, deleteOldCounters, listCounterPositions } from '../../store/counters.ts'
import { deleteInPages, type Store } from '../../store/store.ts'

/** Counters for the charts: audit entries, counted after their commit, and durations and errors of calls. */
export interface CallCounters {
  /** Records the duration of one API call. Buffered in memory until the next round; a crash loses the buffer. */
  timed(merchantId: string, ms: number): void
  /** Records one API call that ended with an error, in the same way. */
  failed(merchantId: string, call: FailedCall): void
  /** Counts the new entries of the audit chains, each exactly once. */
  runOnce(stopping: AbortSignal): Promise<void>
  /** Deletes counters older than the longest chart. */
  deleteOld(stopping: AbortSignal): Promise<number>
}

/** What calls that ended with an error are grouped by: names of the contract, so that there are not more groups than it has. */
export interface FailedCall {
  readonly method: OperationName
  readonly error: ErrorName
}

export interface CallCounterDependencies {
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
}

export function makeCallCounters({ store, clock }: CallCounterDependencies): CallCounters {
  /** Of calls. */
  const calls = new Map<string, BufferedCounter>()
  /** The one that counted last, while it is among them. */
  let latest: BufferedCounter | null = null
  return Object.freeze({ timed, failed, runOnce, deleteOld })

  function timed(merchantId: string, ms: number): void {
    const hour = hourOf(clock.now())
    const name = spanNameOf(ms)
    // Most calls are of the same merchant, hour and length as the one before.
    if (latest?.merchantId === merchantId && latest.hour === hour && latest.name === name) latest.count++
    else latest = add(calls, { merchantId, hour, name, count: 1 })
  }

  function failed(merchantId: string, call: FailedCall): void {
    add(calls, { merchantId, hour: hourOf(clock.now()), name: failedCounter(call), count: 1 })
  }

  async function runOnce(stopping: AbortSignal): Promise<void> {
    await storeCalls()
    const places = new Map((await store.read(listCounterPositions())).map(({ chain, seq }) => [chain, seq]))
    for (const head of await listAuditHeads(store)) {
      let at = places.get(head.chain) ?? 0
      while (at < head.seq && !stopping.aborted) {
        const next = await countPage(head, at)
        if (next === null) break
        at = next
      }
    }
  }

  /** On failure the counts go back into the buffer and are merged with new ones. */
  async function storeCalls(): Promise<void> {
    if (calls.size === 0) return
    const pending = [...calls.values()]
    calls.clear()
    latest = null
    try {
      await store.write(addCounters, { counters: toRows(pending), position: null })
    } catch (err) {
      for (const counter of pending) add(calls, counter)
      throw err
    }
  }

  /** Counts one page of a chain and returns the new position; null when the page is empty or another process counted it. */
  async function countPage({ chain }: AuditHead, from: number): Promise<number | null> {
    let page: EntryPage = { chain, after: from, count: pageSize }
    let groups = await store.read(groupEntries(page))
    if (groups.length > 0 && !isGapless(groups, page)) {
      page = await findGapless(page)
      groups = page.count === 0 ? [] : await store.read(groupEntries(page))
      // One that has become visible meanwhile is counted in the next round.
      if (!isGapless(groups, page)) return null
    }
    if (groups.length === 0) return null
    const counted = new Map<string, BufferedCounter>()
    const oldest = hourOf(clock.now()) - storedHours
    for (const group of groups) {
      for (const counter of countersOf(group)) if (counter.hour === 0 || counter.hour >= oldest) add(counted, counter)
    }
    const to = lastOf(groups)
    return (await store.write(addCounters, { counters: toRows([...counted.values()]), position: { chain, from, to } })) ? to : null
  }

  /**
   * The entries of a page in front of its first gap. A gap is a commit that is not visible yet, and the entries after it are counted later. One that stays
   * was left by entries that somebody deleted.
   */
  async function findGapless(page: EntryPage): Promise<EntryPage> {
    const places = await store.read(listEntryPlaces(page))
    const [first] = places
    const after = first !== undefined && first.at < clock.now() - maxGapMs ? first.seq - 1 : page.after
    const gap = places.findIndex(({ seq }, at) => seq !== after + at + 1)
    return { ...page, after, count: gap === -1 ? places.length : gap }
  }

  function deleteOld(stopping: AbortSignal): Promise<number> {
    return deleteInPages(store, deleteOldCounters, hourOf(clock.now()) - storedHours, stopping)
  }
}

/** Of all time: what users of the dashboard did, of the actions that the Start page lists. */
export function triedCounter(name: string): string {
  return `tried_${name}`
}

/** The counter of one kind of error of one method. */
function failedCounter({ method, error }: FailedCall): string {
  return `${failedPrefix}${method}:${error}`
}

/** The method and the name of the error that a counter of `failed` counts; null for another counter. */
export function parseFailedCounter(name: string): { readonly method: string; readonly error: string } | null {
  if (!name.startsWith(failedPrefix)) return null
  const [method = '', error = ''] = name.slice(failedPrefix.length).split(':')
  return { method, error }
}

function countersOf(group: EntryGroup): BufferedCounter[] {
  const { merchantId, hour, isByUser, count } = group
  const name = nameOf(group)
  if (name === null || merchantId === '') return []
  const counters: BufferedCounter[] = [{ merchantId, hour, name, count }]
  // Such a payment was counted as `held` before: who adds both takes these off.
  if (name === 'paid' && group.outcome === 'captured') counters.push({ merchantId, hour, name: 'captured', count })
  // Calls tried in the dashboard do not show that the merchant's own calls arrive.
  if (firsts.has(name)) counters.push({ merchantId, hour: 0, name: isByUser ? triedCounter(name) : name, count })
  return counters
}

function isGapless(groups: readonly EntryGroup[], { after }: EntryPage): boolean {
  return groups.reduce((sum, { count }) => sum + count, 0) === lastOf(groups) - after
}

function lastOf(groups: readonly EntryGroup[]): number {
  return groups.reduce((last, { lastSeq }) => Math.max(last, lastSeq), 0)
}

/** The counter name of audit entries; null when they are not counted. Only names from fixed lists are used. */
function nameOf({ action: stored, outcome }: EntryGroup): string | null {
  const action = currentAuditAction(stored)
  if (action === 'code.dispatched') return outcome === 'sent' || outcome === 'unknown' ? 'code_sent' : `code_refused:${outcome}`
  // Only known reasons are counted, not arbitrary text from a network.
  if (action === 'code.attempted' && outcome !== 'wrong_code') return null
  if (action === 'receipt.payment_failed') return `refused:${outcome}`
  return counted[action] ?? null
}

const counted: Readonly<Record<string, string>> = Object.freeze({
  'card.created': 'created',
  'card.verified': 'verified',
  'card.removed': 'removed',
  'code.attempted': 'wrong_code',
  'receipt.paid': 'paid',
  'receipt.held': 'held',
})

/** The actions listed on the Start page. */
const firsts: ReadonlySet<string> = new Set(['created', 'verified', 'paid'])

/** A counter's row as it is buffered: the bucket is a hash of the merchant's id, and computed once a row instead of once a call. */
type BufferedCounter = Omit<CounterRow, 'bucket' | 'count'> & { count: number }

/** Returns the counter that counts; null for a new one above the limit, which is ignored until the next round. */
function add(counters: Map<string, BufferedCounter>, counter: BufferedCounter): BufferedCounter | null {
  const key = `${counter.merchantId} ${counter.hour} ${counter.name}`
  const there = counters.get(key)
  if (there !== undefined) there.count += counter.count
  else if (counters.size >= maxCounters) return null
  else counters.set(key, counter)
  return there ?? counter
}

/** The name of the counter of calls of this length. */
function spanNameOf(ms: number): string {
  let at = 0
  while (at < spanBounds.length && ms > (spanBounds[at] ?? 0)) at++
  return spanNames[at] ?? ''
}

/** In one order, so that two processes cannot wait for each other's rows. */
function toRows(counters: readonly BufferedCounter[]): CounterRow[] {
  const rows = counters.map((counter) => ({ bucket: bucketOf(counter.merchantId), ...counter }))
  return rows.sort((a, b) => compare(a.merchantId, b.merchantId) || a.hour - b.hour || compare(a.name, b.name))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Hours since 1970-01-01 UTC. */
export function hourOf(at: number): number {
  return Math.floor(at / 3_600_000)
}

/** Upper bounds of the buckets, milliseconds. Longer calls are counted as `more`. */
export const spanBounds = Object.freeze([5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 15_000] as const)
const spanNames: readonly string[] = [...spanBounds, 'more'].map((bound) => `ms:${bound}`)
/** The longest period of the overview (92 days), the one before it, and a day. */
export const storedHours = 185 * 24
const failedPrefix = 'error:'
const pageSize = 1000
const maxCounters = 50_000
/** A commit is visible long before. */
const maxGapMs = 60_000
