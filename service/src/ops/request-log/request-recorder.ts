import { errorEntry } from '@tessera/contract/errors'
import { bucketOf } from '@tessera/vault/id'

import type { Clock } from '../../clock.ts'
import type { MerchantCache } from '../../domain/merchants/merchant-cache.ts'
import type { CompletedCall, RecordCall } from '../../server/call-observer.ts'
import type { Config } from '../config/config.ts'
import {
  deleteMerchantRequests,
  deleteOldRequests,
  type DetailedRequestRow,
  findRequestBehindNewest,
  insertRequests,
} from '../../store/request-log.ts'
import { deleteInPages, type Store } from '../../store/store.ts'

import { cardIdOf, isLoggableId, isLoggableName, redactParams, redactResult } from './redact.ts'
import { makeRequestBuffer, type RequestLoss } from './request-buffer.ts'

/** Records calls in the request log: after the reply, in batches. Calls that do not fit into the buffer are counted, and the gap is recorded. */
export interface RequestRecorder {
  readonly recordCall: RecordCall
  /** Writes the waiting records and returns their number. Records that the store did not accept are retried as long as the buffer has room. */
  runOnce(stopping: AbortSignal): Promise<number>
  /** Deletes records that are too old or exceed a merchant's maximum, in slices. Returns their number. */
  deleteOld(stopping: AbortSignal): Promise<number>
  /** Calls that were not recorded since the start. */
  droppedCount(): number
  /** The number of calls that wait to be written. */
  waiting(): number
}

export interface RequestRecorderDependencies {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly merchants: Pick<MerchantCache, 'find'>
  readonly clock: Pick<Clock, 'now'>
  readonly settings: RecorderSettings
  /** Called when a call could not be recorded because of a bug. */
  readonly failed: (err: unknown) => void
}

export interface RecorderSettings {
  /** 0: nothing is recorded. */
  readonly days: number
  /** Maximum per merchant. */
  readonly rowsMax: number
  readonly waitingMax: number
}

/** A call that waits to be written takes a few kilobytes at most. */
export function recorderSettings({ requestLogDays, requestLogRowsMax }: Config): RecorderSettings {
  return { days: requestLogDays, rowsMax: requestLogRowsMax, waitingMax: 5000 }
}

/** The JSON in the column `detail` of a call's row. */
export interface RequestDetail {
  readonly data: string
  readonly params: ReturnType<typeof redactParams>
  readonly result: ReturnType<typeof redactResult>
}

export function makeRequestRecorder({ store, merchants, clock, settings, failed }: RequestRecorderDependencies): RequestRecorder {
  const buffer = makeRequestBuffer({ rowsMax: settings.waitingMax, unprovedMax: Math.ceil(settings.waitingMax / 10) })
  /** Rows written since a merchant's rows were last counted; negative: they were never counted. */
  const written = new Map<string, number>()
  return Object.freeze<RequestRecorder>({
    recordCall(call) {
      if (settings.days === 0) return
      const merchantId = call.caller?.merchantId ?? merchantIdIn(call.xAuth)
      try {
        if (merchantId !== null) buffer.add(recordOf(call, merchantId, clock.now()))
      } catch (err) {
        // The caller gets its reply whether or not the call is recorded.
        failed(err)
      }
    },
    async runOnce(stopping) {
      let count = 0
      for (let page = 0; page < pagesMax && !stopping.aborted; page++) {
        const taken = buffer.take(pageSize)
        if (taken.length === 0) break
        try {
          count += await write(await withoutUnknownMerchants(taken))
        } catch (err) {
          buffer.putBack(taken)
          throw err
        }
      }
      await recordLosses()
      return count
    },
    async deleteOld(stopping) {
      let dropped = settings.days === 0 ? 0 : await deleteInPages(store, deleteOldRequests, clock.now() - settings.days * dayMs, stopping)
      for (const [merchantId, rows] of written) {
        if (stopping.aborted) break
        if (rows >= 0 && rows < settings.rowsMax / 100) continue
        dropped += await deleteBeyondMaximum(merchantId, stopping)
        written.set(merchantId, 0)
      }
      return dropped
    },
    droppedCount: buffer.lost,
    waiting: buffer.waiting,
  })

  async function write(rows: readonly DetailedRequestRow[]): Promise<number> {
    if (rows.length === 0) return 0
    await store.write(insertRequests, { requests: rows })
    for (const { merchantId } of rows) {
      if (written.size >= merchantsMax && !written.has(merchantId)) continue
      const before = written.get(merchantId)
      written.set(merchantId, before === undefined || before < 0 ? uncounted : before + 1)
    }
    return rows.length
  }

  /** Anyone can name a merchant: calls that name an unknown one are not recorded. */
  async function withoutUnknownMerchants(rows: readonly DetailedRequestRow[]): Promise<DetailedRequestRow[]> {
    const named = new Set(rows.filter(({ caller }) => caller === 'unproved').map(({ merchantId }) => merchantId))
    const unknown = await findUnknownMerchants(named)
    return rows.filter(({ merchantId }) => !unknown.has(merchantId))
  }

  async function findUnknownMerchants(named: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const unknown = new Set<string>()
    for (const merchantId of named) if ((await merchants.find(merchantId)) === null) unknown.add(merchantId)
    return unknown
  }

  async function recordLosses(): Promise<void> {
    const losses = buffer.takeLosses()
    if (losses.length === 0) return
    try {
      const unknown = await findUnknownMerchants(new Set(losses.map(({ merchantId }) => merchantId)))
      await write(losses.filter(({ merchantId }) => !unknown.has(merchantId)).map(rowOfLoss))
    } catch (err) {
      buffer.putLossesBack(losses)
      throw err
    }
  }

  async function deleteBeyondMaximum(merchantId: string, stopping: AbortSignal): Promise<number> {
    const of = { bucket: bucketOf(merchantId), merchantId }
    const upTo = await store.read(findRequestBehindNewest({ ...of, keep: settings.rowsMax }))
    let dropped = 0
    for (let slice = upTo === null ? 0 : -1; slice !== 0 && upTo !== null && !stopping.aborted; dropped += slice) {
      slice = await store.write(deleteMerchantRequests, { ...of, upTo })
    }
    return dropped
  }
}

function recordOf(call: CompletedCall, merchantId: string, at: number): DetailedRequestRow {
  const { requestId, method, profile, error, ms, bytes } = call
  const params = redactParams(method, call.params)
  const result = redactResult(method, call.result)
  const detail: RequestDetail = { data: loggableData(error?.data), params, result }
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
    lost: 0,
    lostFrom: 0,
    detail: JSON.stringify(detail),
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

function rowOfLoss({ merchantId, bucket, count, from, to, requestId }: RequestLoss): DetailedRequestRow {
  return {
    bucket,
    merchantId,
    at: to,
    requestId,
    method: '',
    profile: 'spec',
    code: 0,
    reason: '',
    micros: 0,
    caller: 'server',
    cardId: '',
    lost: count,
    lostFrom: from,
    bytes: 0,
    detail: '',
  }
}

/** The merchant id in an X-Auth header, authenticated or not. */
function merchantIdIn(xAuth: string | null): string | null {
  const named = xAuth?.split(':', 1)[0]?.trim() ?? ''
  return isLoggableId(named) ? named : null
}

/** The rows of further merchants in one process are deleted by age only. */
const merchantsMax = 100_000
const uncounted = -1
const pageSize = 100
/** Maximum per run; the rest is written by the next run. */
const pagesMax = 50
const dayMs = 86_400_000
