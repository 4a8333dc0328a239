import { setTimeout as pause } from 'node:timers/promises'

import { readText } from '../columns.ts'
import type { RequestLogStore } from '../request-log-store.ts'
import { deleteRequestSegments, insertRequestSegments, type RequestSegment } from '../request-segments.ts'
import { makeStatement, sql } from '../statement.ts'
import type { Store } from '../store.ts'
import { type Read, type Transaction, execute } from '../transaction.ts'
import { isCatalogRace, serverErrorOf } from './fault.ts'

/** The request log on PostgreSQL: one statement a batch, into a partition of each day, which is dropped as a whole. */
export function makePostgresRequestLog(store: Pick<Store, 'read' | 'write'>): RequestLogStore {
  /** The days whose partition this process has found or made. */
  const days = new Set<number>()
  return Object.freeze<RequestLogStore>({
    file: null,
    async append(segments) {
      for (let attempt = 1; ; attempt++) {
        for (const day of daysOf(segments)) await ensurePartition(day)
        try {
          await store.write(insertRequestSegments, { segments })
          break
        } catch (err) {
          // A partition that somebody dropped is made again by the next attempt.
          days.clear()
          if (attempt === attemptsMax || !isPartitionMissing(err)) throw err
          await pause(attemptPauseMs)
        }
      }
      // Ahead, so that no call of a new day waits for its partition. The next batch tries again, and the calls of that day do.
      await ensurePartition(Math.max(...daysOf(segments)) + 1).catch(() => undefined)
    },
    read: (query) => store.read(query),
    deletePage: (deletion) => store.write(deleteRequestSegments, deletion),
    async deleteBefore(at, stopping) {
      const tooOld = (await store.read(listRequestPartitions())).filter((day) => (day + 1) * dayMs <= at)
      let dropped = 0
      for (const day of tooOld) {
        if (stopping.aborted) break
        await store.write(dropRequestPartition, { day })
        days.delete(day)
        dropped++
      }
      return dropped
    },
    close: async () => undefined,
  })

  async function ensurePartition(day: number): Promise<void> {
    if (days.has(day)) return
    if (!(await store.read(listRequestPartitions())).includes(day)) await createPartition(day)
    days.add(day)
  }

  async function createPartition(day: number): Promise<void> {
    try {
      await store.write(createRequestPartition, { day })
    } catch (err) {
      // Another process makes it, or has made it.
      if (!isCatalogRace(err) && !isCatalogRace(err instanceof Error ? err.cause : null)) throw err
    }
  }
}

/**
 * A partition of another process is in the catalog a moment before other sessions are told of it: PostgreSQL ends a transaction first, and then sends its
 * invalidations (`CommitTransaction`). On a busy machine that moment is long enough for an insert that does not know the partition.
 */
function isPartitionMissing(err: unknown): boolean {
  return [err, err instanceof Error ? err.cause : null].some((each) => serverErrorOf(each)?.code === checkViolation)
}

function daysOf(segments: readonly RequestSegment[]): Set<number> {
  return new Set(segments.map(({ lastAt }) => Math.floor(lastAt / dayMs)))
}

/** Apart and then attached: `create table … partition of` would lock the whole table against reads and writes. */
function* createRequestPartition({ day }: { readonly day: number }): Transaction<void> {
  const range = `from (${day * dayMs}) to (${(day + 1) * dayMs})`
  yield* execute(makeStatement(`create table ${partitionOf(day)} (like request_segments including all)`), [])
  yield* execute(makeStatement(`alter table request_segments attach partition ${partitionOf(day)} for values ${range}`), [])
}

function* dropRequestPartition({ day }: { readonly day: number }): Transaction<void> {
  yield* execute(makeStatement(`drop table if exists ${partitionOf(day)}`), [])
}

const selectPartitions = sql`
  select child.relname::text as name from pg_inherits join pg_class as child on child.oid = inhrelid
  where inhparent = 'request_segments'::regclass`

/** The days that have a partition. */
function listRequestPartitions(): Read<number[]> {
  return {
    statement: selectPartitions,
    values: [],
    map: (rows) => rows.map((row) => dayOf(readText(row, 'name'))).filter((day) => day !== null),
  }
}

/** `request_segments_20261124`, by UTC. */
function partitionOf(day: number): string {
  return `request_segments_${new Date(day * dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`
}

function dayOf(name: string): number | null {
  const [, year, month, date] = /^request_segments_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? []
  return year === undefined ? null : Date.UTC(Number(year), Number(month) - 1, Number(date)) / dayMs
}

const dayMs = 86_400_000

/** "no partition of relation … found for row" (PostgreSQL documentation, appendix A). */
const checkViolation = '23514'
const attemptsMax = 5
const attemptPauseMs = 20
