import { createHash } from 'node:crypto'

import { RpcError } from '@tessera/contract/errors'
import type { PageChange, PageEvent, WebhookEvent } from '@tessera/contract/event'
import { issueId } from '@tessera/vault/id'

import type { Clock } from '../../clock.ts'
import type { AuditEntry } from '../../store/audit.ts'
import type { MerchantKey } from '../../store/merchants.ts'
import { type EventRow, outboxTable } from '../../store/outbox.ts'
import { changePageWatch, listDuePageWatches, listPageWatches, type PageWatchRow, pageWatchesTable } from '../../store/page-watches.ts'
import type { Store } from '../../store/store.ts'
import type { MerchantCache } from '../merchants/merchant-cache.ts'
import { makeVerifiedRows, type VerifiedRowDependencies } from '../verified-rows.ts'

import type { FetchPage } from './fetch-page.ts'
import type { FetchScript } from './fetch-script.ts'
import { compareSnapshots, keepStable, makeSnapshot, readSnapshot, type WatchedPageContent } from './page-snapshot.ts'
import type { ParsePage } from './parse-page.ts'

/** What a reading found: `new` where there was nothing to compare with, `skipped` where another process was first. */
export type PageReadingOutcome = 'new' | 'unchanged' | 'changed' | 'unreadable' | 'skipped'

/** A watched page, as shown to users. */
export interface WatchedPage {
  readonly page: string
  /** `tampered`: the row was not written by this service; a check of the page writes it anew. */
  readonly state: PageWatchRow['state'] | 'tampered'
  readonly readAt: number
  readonly changedAt: number
  readonly changes: readonly PageChange[]
}

/**
 * Reads registered pages again by a schedule (PCI DSS 11.6.1): every page that a person checked by its address. A page that differs from what it was
 * raises an alarm and the event `page.changed`, once for each change.
 */
export interface PageReadings {
  /** Reads the pages that are due, a few of them; returns how many. */
  runOnce(stopping: AbortSignal): Promise<number>
  list(of: MerchantKey): Promise<WatchedPage[]>
  /** The row that starts to watch a page from what it is now: the next run reads it. */
  startWatch(of: MerchantKey, page: string, now: number): Promise<PageWatchRow>
}

export interface PageReadingObserver {
  onRead(reading: { readonly result: PageReadingOutcome; readonly merchantId: string; readonly count: number }): void
}

export interface PageReadingDependencies extends VerifiedRowDependencies, PageReadingObserver {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Pick<Clock, 'now'>
  readonly merchants: Pick<MerchantCache, 'find'>
  readonly fetchPage: FetchPage
  readonly fetchScript: FetchScript
  readonly parse: ParsePage
  readonly formOrigin: string | null
  /** 0: pages are not read again. */
  readonly everyMs: number
}

export function makePageReadings(deps: PageReadingDependencies): PageReadings {
  const { store, clock, merchants, fetchPage, fetchScript, parse, formOrigin, everyMs, onRead } = deps
  const rows = makeVerifiedRows(deps, pageWatchesTable)
  const events = makeVerifiedRows(deps, outboxTable)
  return Object.freeze<PageReadings>({ runOnce, list, startWatch })

  async function runOnce(stopping: AbortSignal): Promise<number> {
    if (everyMs === 0) return 0
    let count = 0
    for (const watch of await store.read(listDuePageWatches({ now: clock.now(), count: pagesPerRun }))) {
      if (stopping.aborted) break
      const result = await readAgain(watch, stopping)
      if (result !== 'skipped') count++
    }
    return count
  }

  /** A page is claimed by moving its due time: no other process takes it meanwhile, and after a crash it is due again when the claim ends. */
  async function readAgain(found: PageWatchRow, stopping: AbortSignal): Promise<PageReadingOutcome> {
    const isOurs = await rows.isValid(found)
    const dueAt = clock.now() + claimMs
    // A row that was written by somebody else is not compared with, and must not keep others from their turn.
    const watch = await rows.seal({
      ...found,
      ...(isOurs ? {} : { baseline: '', state: 'unreadable' as const }),
      reading: found.reading + 1,
      dueAt,
    })
    if (!(await store.write(changePageWatch, { watch }))) return 'skipped'
    const snapshot = await takeSnapshot(watch, stopping).catch((err: unknown) => {
      if (err instanceof RpcError) return null
      throw err
    })
    if (stopping.aborted) return 'skipped'
    const { next, result, changes } = judge(watch, snapshot)
    const isChanged = result === 'changed'
    const stored = await store.write(changePageWatch, {
      watch: await rows.seal({ ...watch, ...next, reading: watch.reading + 1 }),
      events: isChanged ? [await events.seal(pageEvent(watch, changes, clock.now()))] : [],
      audit: isChanged ? pageChangedEntry(watch, clock.now()) : null,
    })
    if (!stored) return 'skipped'
    onRead({ result, merchantId: watch.merchantId, count: changes.length })
    return result
  }

  async function takeSnapshot({ merchantId, page }: PageWatchRow, stopping: AbortSignal): Promise<WatchedPageContent> {
    const origins = (await merchants.find(merchantId))?.settings.origins ?? []
    return keepStable(await readPage(page, origins, stopping), await readPage(page, origins, stopping))
  }

  async function readPage(address: string, origins: readonly string[], stopping: AbortSignal): Promise<WatchedPageContent> {
    const { url, text, policies, headers } = await fetchPage(address, origins, stopping)
    const page = `${url.origin}${url.pathname}`
    const { scripts, findings } = await parse({ page, text, policies, origin: url.origin, formOrigin })
    const contents = new Map<string, string>()
    for (const { address: script, fingerprint } of scripts) {
      if (fingerprint !== '' || contents.size >= scriptsFetchedMax || contents.has(script)) continue
      contents.set(script, await fetchScript(script, stopping))
    }
    return makeSnapshot({ scripts, contents, headers, rules: [...new Set(findings.map(({ rule }) => rule))] })
  }

  function judge(watch: PageWatchRow, snapshot: WatchedPageContent | null): Judgement {
    const now = clock.now()
    if (snapshot === null) return judgeUnreadable(watch, now)
    const read = { failures: 0, dueAt: now + everyMs, readAt: now, baseline: JSON.stringify(snapshot) }
    if (watch.baseline === '') return { next: { ...read, state: 'unchanged' }, result: 'new', changes: [] }
    const changes = compareSnapshots(readSnapshot(watch.baseline), snapshot).slice(0, changesMax)
    // Until a person looks at the page, it stays marked.
    if (changes.length === 0) {
      const state = watch.changedAt === 0 ? 'unchanged' : 'changed'
      return { next: { ...read, state }, result: 'unchanged', changes }
    }
    return { next: { ...read, state: 'changed', changedAt: now, changes: JSON.stringify(changes) }, result: 'changed', changes }
  }

  /** Tried again soon, then ever later. A page that could not be read for a week is reported once, as what has changed: it is no longer watched. */
  function judgeUnreadable(watch: PageWatchRow, now: number): Judgement {
    const failures = watch.failures + 1
    const dueAt = now + Math.min(everyMs, retryMs * 2 ** Math.min(failures - 1, 10))
    const next = { state: 'unreadable' as const, failures, dueAt }
    const isLost = watch.readAt !== 0 && now - watch.readAt >= weekMs && watch.changedAt < watch.readAt + weekMs
    if (!isLost) return { next, result: 'unreadable', changes: [] }
    const changes: PageChange[] = [{ what: 'page', change: 'unreadable', name: '' }]
    return { next: { ...next, changedAt: now, changes: JSON.stringify(changes) }, result: 'changed', changes }
  }

  async function list(of: MerchantKey): Promise<WatchedPage[]> {
    const found = await store.read(listPageWatches(of))
    return Promise.all(
      found.map(async (watch) => {
        const { page, state, readAt, changedAt, changes } = watch
        if (!(await rows.isValid(watch))) return { page, state: 'tampered' as const, readAt: 0, changedAt: 0, changes: [] }
        return { page, state, readAt, changedAt, changes: JSON.parse(changes) as PageChange[] }
      }),
    )
  }

  async function startWatch({ bucket, merchantId }: MerchantKey, page: string, now: number): Promise<PageWatchRow> {
    const times = { dueAt: now, readAt: 0, changedAt: 0 }
    // A number that no reading in progress has, so that its result is not stored over this.
    const counts = { reading: now, failures: 0 }
    const from = { state: 'new', baseline: '', changes: '[]', mac: new Uint8Array(0) } as const
    return rows.seal({ bucket, merchantId, pageId: pageIdOf(page), page, ...from, ...counts, ...times })
  }
}

interface Judgement {
  readonly next: Partial<PageWatchRow>
  readonly result: PageReadingOutcome
  readonly changes: readonly PageChange[]
}

export function pageIdOf(page: string): string {
  return createHash('sha256').update(page).digest('hex').slice(0, 24)
}

function pageEvent({ bucket, merchantId, pageId, page, readAt }: PageWatchRow, changes: readonly PageChange[], at: number): EventRow {
  const data: PageEvent = { page: { id: pageId, address: page, last_read_time: readAt, changes: [...changes] } }
  const event: WebhookEvent<'page.changed'> = { type: 'page.changed', timestamp: new Date(at).toISOString(), data }
  const body = JSON.stringify(event)
  return { bucket, merchantId, eventId: issueId(bucket, at), type: event.type, objectId: pageId, at, body, mac: new Uint8Array(0) }
}

function pageChangedEntry({ merchantId, pageId }: PageWatchRow, at: number): AuditEntry {
  const action = { action: 'page.changed', outcome: 'has_changed' }
  return { at, actor: 'system', ...action, merchantId, subject: pageId, version: 0, mac: new Uint8Array(0), requestId: '' }
}

const weekMs = 7 * 86_400_000
const retryMs = 15 * 60_000
/** More than the time limits of all that a reading of one page fetches and parses. */
const claimMs = 20 * 60_000
const pagesPerRun = 5
const scriptsFetchedMax = 20
const changesMax = 50
