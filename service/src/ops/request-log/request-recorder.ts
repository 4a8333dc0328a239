import { errorEntry } from '@tessera/contract/errors'
import { bucketOf } from '@tessera/vault/id'

import type { Clock } from '../../clock.ts'
import type { MerchantCache } from '../../domain/merchants/merchant-cache.ts'
import type { CompletedCall, RecordCall } from '../../server/call-observer.ts'
import type { Config } from '../config/config.ts'
import type { RequestLogStore } from '../../store/request-log-store.ts'
import { type CallerCalls, deleteSegmentsBeyond, findSegmentBeyond, type RequestSegment } from '../../store/request-segments.ts'

import { addressClassOf } from './address-class.ts'
import { cardIdOf, isLoggableId, isLoggableName, redactParams, redactResult } from './redact.ts'
import { makeRequestBuffer, type CallerBudgets, type DroppedCalls, type RequestCaller, type RequestLoss } from './request-buffer.ts'
import { encodeRow, type RequestRow } from './request-row.ts'
import { toSegments, type WaitingSegment } from './waiting-segment.ts'

/** Records calls in the request log: after the reply, in batches. Calls that do not fit into the buffer are counted, and the gap is recorded. */
export interface RequestRecorder {
  readonly recordCall: RecordCall
  /** Writes the waiting records and returns their number. Records that the store did not accept are retried as long as the buffer has room. */
  runOnce(stopping: AbortSignal): Promise<number>
  /** Deletes records that are too old or exceed a merchant's maximum, in slices. Returns their number. */
  deleteOld(stopping: AbortSignal): Promise<number>
  /** Writes down what waits, and the losses of the minute that is not over: before the end of the process. */
  flush(): Promise<void>
  /** Calls that were not recorded since the start, by kind of caller and reason. */
  dropped(): DroppedCalls[]
  /** The number of calls that wait to be written. */
  waiting(): number
}

export interface RequestRecorderDependencies {
  readonly requestLog: Pick<RequestLogStore, 'append' | 'read' | 'deletePage' | 'deleteBefore'>
  readonly merchants: Pick<MerchantCache, 'find'>
  readonly clock: Pick<Clock, 'now'>
  readonly settings: RecorderSettings
  /** Called when a call could not be recorded because of a bug. */
  readonly failed: (err: unknown) => void
  /** Called when a row that stands for calls which were not recorded is written. */
  readonly lost: (loss: RequestLoss) => void
}

export interface RecorderSettings {
  /** 0: nothing is recorded. */
  readonly days: number
  /** Stored calls per merchant, by kind of caller: each kind displaces its own only. */
  readonly rowsMax: Readonly<Record<RequestCaller, number>>
  readonly budgets: CallerBudgets
}

/**
 * Calls with the password have no budget but the room to wait in. Ten a second of a page, and one a second that was refused, are enough to find a fault
 * by (docs/decisions/0041-request-log-budgets.md). A call that waits to be written takes a few kilobytes at most.
 */
export function recorderSettings({ requestLogDays, requestLogRowsMax: rowsMax }: Config): RecorderSettings {
  return {
    days: requestLogDays,
    rowsMax: { server: rowsMax, browser: Math.ceil(rowsMax / 2), unproved: Math.ceil(rowsMax / 10) },
    budgets: {
      server: { waitingMax: 5000, minuteMax: Infinity },
      browser: { waitingMax: 2500, minuteMax: 600 },
      unproved: { waitingMax: 500, minuteMax: 60 },
    },
  }
}

export function makeRequestRecorder(dependencies: RequestRecorderDependencies): RequestRecorder {
  const { requestLog, merchants, clock, settings, failed, lost } = dependencies
  const buffer = makeRequestBuffer(settings.budgets)
  /** Rows written since a merchant's rows of one kind of caller were last counted. */
  const written = new Map<string, WrittenRows>()
  let writing: Promise<number> | null = null
  /** Not after a failure: then only the job tries again, once a second. */
  let mayWriteEarly = true
  return Object.freeze<RequestRecorder>({
    recordCall(call) {
      if (settings.days === 0) return
      const merchantId = call.caller?.merchantId ?? merchantIdIn(call.xAuth)
      try {
        if (merchantId === null) return
        buffer.add(encodeRow(recordOf(call, merchantId, clock.now())))
        // Under a load that fills the room faster than the job comes round. What fails stays in the buffer, and the job reports it.
        if (buffer.waiting() >= writeEarlyAt && writing === null && mayWriteEarly) writeBuffered(never).catch(() => undefined)
      } catch (err) {
        // The caller gets its reply whether or not the call is recorded.
        failed(err)
      }
    },
    async runOnce(stopping) {
      const count = await writeBuffered(stopping)
      await recordLosses(clock.now())
      return count
    },
    async flush() {
      await this.runOnce(new AbortController().signal)
      await recordLosses(Infinity)
    },
    async deleteOld(stopping) {
      let dropped = settings.days === 0 ? 0 : await requestLog.deleteBefore(clock.now() - settings.days * dayMs, stopping)
      for (const rows of written.values()) {
        if (stopping.aborted) break
        const { merchantId, caller } = rows
        if (rows.wasCounted && rows.count < settings.rowsMax[caller] / 100) continue
        dropped += await deleteBeyondMaximum({ bucket: bucketOf(merchantId), merchantId, caller }, stopping)
        Object.assign(rows, { count: 0, wasCounted: true })
      }
      return dropped
    },
    dropped: buffer.dropped,
    waiting: buffer.waiting,
  })

  /** One at a time: an early one and that of the job. */
  async function writeBuffered(stopping: AbortSignal): Promise<number> {
    while (writing !== null) await writing.catch(() => 0)
    writing = writePages(stopping).finally(() => (writing = null))
    return writing
  }

  async function writePages(stopping: AbortSignal): Promise<number> {
    let count = 0
    for (let page = 0; page < pagesMax && !stopping.aborted; page++) {
      const taken = buffer.take(pageSize)
      if (taken.length === 0) break
      try {
        count += await write((await withoutUnknownMerchants(taken)).map((segment) => segment.toSegment()))
        mayWriteEarly = true
      } catch (err) {
        mayWriteEarly = false
        buffer.putBack(taken)
        throw err
      }
    }
    return count
  }

  async function write(segments: readonly RequestSegment[]): Promise<number> {
    if (segments.length === 0) return 0
    await requestLog.append(segments)
    for (const { merchantId, caller, calls } of segments) {
      const key = `${merchantId} ${caller}`
      const existing = written.get(key)
      if (existing !== undefined) existing.count += calls
      else if (written.size < countersMax) written.set(key, { merchantId, caller, count: calls, wasCounted: false })
    }
    return segments.reduce((sum, { calls }) => sum + calls, 0)
  }

  /** Anyone can name a merchant: calls that name an unknown one are not recorded. */
  async function withoutUnknownMerchants(segments: readonly WaitingSegment[]): Promise<readonly WaitingSegment[]> {
    const named = new Set(segments.filter(({ caller }) => caller === 'unproved').map(({ merchantId }) => merchantId))
    if (named.size === 0) return segments
    const unknown = await findUnknownMerchants(named)
    return segments.filter(({ merchantId }) => !unknown.has(merchantId))
  }

  async function findUnknownMerchants(named: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const unknown = new Set<string>()
    for (const merchantId of named) if ((await merchants.find(merchantId)) === null) unknown.add(merchantId)
    return unknown
  }

  /** Writes a row for each merchant, kind of caller and minute of which calls were not recorded. */
  async function recordLosses(now: number): Promise<void> {
    const losses = buffer.takeLosses(now)
    if (losses.length === 0) return
    try {
      const unknown = await findUnknownMerchants(new Set(losses.map(({ merchantId }) => merchantId)))
      const known = losses.filter(({ merchantId }) => !unknown.has(merchantId))
      await write(toSegments(known.map((loss) => encodeRow(rowOfLoss(loss)))))
      known.forEach(lost)
    } catch (err) {
      buffer.putLossesBack(losses)
      throw err
    }
  }

  async function deleteBeyondMaximum(of: CallerCalls, stopping: AbortSignal): Promise<number> {
    const upTo = await requestLog.read(findSegmentBeyond({ ...of, keep: settings.rowsMax[of.caller] }))
    let dropped = 0
    for (let page = -1; page !== 0 && upTo !== null && !stopping.aborted; dropped += page)
      page = await requestLog.deletePage(deleteSegmentsBeyond(of, upTo))
    return dropped
  }
}

function recordOf(call: CompletedCall, merchantId: string, at: number): RequestRow {
  const { requestId, method, profile, error, ms, bytes } = call
  const params = redactParams(method, call.params)
  const result = redactResult(method, call.result)
  return {
    bucket: call.caller?.bucket ?? bucketOf(merchantId),
    merchantId,
    at,
    requestId,
    method: method ?? '',
    profile,
    bytes,
    ...outcomeOf(call),
    micros: Math.round(ms * 1000),
    caller: call.caller === null ? 'unproved' : call.caller.kind === 'server' ? 'server' : 'browser',
    cardId: cardIdOf(params, result),
    addressClass: addressClassOf(call.address),
    lost: 0,
    lostFrom: 0,
    detail: { data: loggableData(error?.data), params, result },
  }
}

/** The code of the reply, 0 for a result. */
function outcomeOf({ error, profile }: CompletedCall): { code: number; reason: string } {
  if (error === null) return { code: 0, reason: '' }
  const { code, specCode, reason } = errorEntry(error.entry)
  return { code: profile === 'spec' ? (specCode ?? code) : code, reason }
}

/** The path of a member or another plain name. A reply of a merchant's endpoint is not stored. */
function loggableData(data: unknown): string {
  return typeof data === 'string' && (isLoggableId(data) || isLoggableName(data)) ? data : ''
}

function rowOfLoss({ merchantId, bucket, caller, reason, count, from, to, requestId }: RequestLoss): RequestRow {
  return {
    bucket,
    merchantId,
    at: to,
    requestId,
    method: '',
    profile: 'spec',
    code: 0,
    reason,
    micros: 0,
    caller,
    cardId: '',
    addressClass: '',
    lost: count,
    lostFrom: from,
    bytes: 0,
    detail: { data: '', params: noMembers, result: noMembers },
  }
}

/** The merchant id in an X-Auth header, authenticated or not. */
function merchantIdIn(xAuth: string | null): string | null {
  const named = xAuth?.split(':', 1)[0]?.trim() ?? ''
  return isLoggableId(named) ? named : null
}

interface WrittenRows {
  readonly merchantId: string
  readonly caller: RequestCaller
  count: number
  /** Whether the stored rows were compared with the maximum since the start of the process. */
  wasCounted: boolean
}

/** The rows of further merchants in one process are deleted by age only. */
const countersMax = 200_000
/** Calls of one transaction. */
const pageSize = 1000
/** Maximum per run; the rest is written by the next run. */
const pagesMax = 20
/** A fifth of the room of servers. */
const writeEarlyAt = 1000
const never = new AbortController().signal
const noMembers: RequestRow['detail']['params'] = { list: [], more: 0 }
const dayMs = 86_400_000
