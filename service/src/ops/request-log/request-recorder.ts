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

import { cardIdOf, isLoggableId, isLoggableWord, redactParams, redactResult } from './redact.ts'
import { makeRequestBuffer, type RequestLoss } from './request-buffer.ts'

/** Keeps calls in the request log: behind the calls, in batches, and what there is no room for is counted and told. */
export interface RequestRecorder {
  readonly recordCall: RecordCall
  /** Writes what waits; tells how many rows. What the store does not take stays, as long as there is room. */
  runOnce(stopping: AbortSignal): Promise<number>
  /** Drops what is too old, and what is too much of one merchant; slice by slice. */
  deleteOld(stopping: AbortSignal): Promise<number>
  /** Calls that were not recorded since the start. */
  droppedCount(): number
  /** Calls that wait to be written. */
  waiting(): number
}

export interface RequestRecorderDependencies {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly merchants: Pick<MerchantCache, 'find'>
  readonly clock: Pick<Clock, 'now'>
  readonly settings: RecorderSettings
  /** A call that could not be recorded: a fault of ours. */
  readonly failed: (err: unknown) => void
}

export interface RecorderSettings {
  /** 0: nothing is recorded. */
  readonly days: number
  /** Of one merchant. */
  readonly rowsMax: number
  readonly waitingMax: number
}

/** Calls that wait to be written are a few kilobytes each at most. */
export function recorderSettings({ requestLogDays, requestLogRowsMax }: Config): RecorderSettings {
  return { days: requestLogDays, rowsMax: requestLogRowsMax, waitingMax: 5000 }
}

/** What a call's row stores besides its columns. */
export interface RequestDetail {
  readonly data: string
  readonly params: ReturnType<typeof redactParams>
  readonly result: ReturnType<typeof redactResult>
}

export function makeRequestRecorder({ store, merchants, clock, settings, failed }: RequestRecorderDependencies): RequestRecorder {
  const buffer = makeRequestBuffer({ rowsMax: settings.waitingMax, unprovedMax: Math.ceil(settings.waitingMax / 10) })
  /** Rows written since a merchant's were last counted; its first one counts them. */
  const written = new Map<string, number>()
  return Object.freeze<RequestRecorder>({
    recordCall(call) {
      if (settings.days === 0) return
      const merchantId = call.caller?.merchantId ?? merchantIdIn(call.xAuth)
      try {
        if (merchantId !== null) buffer.add(recordOf(call, merchantId, clock.now()))
      } catch (err) {
        // The call is answered whether or not it is recorded.
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

  /** Anybody may name a merchant: calls that name none that exists are left out. */
  async function withoutUnknownMerchants(rows: readonly DetailedRequestRow[]): Promise<DetailedRequestRow[]> {
    const named = new Set(rows.filter(({ caller }) => caller === 'unproved').map(({ merchantId }) => merchantId))
    const strange = await findUnknownMerchants(named)
    return rows.filter(({ merchantId }) => !strange.has(merchantId))
  }

  async function findUnknownMerchants(named: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const strange = new Set<string>()
    for (const merchantId of named) if ((await merchants.find(merchantId)) === null) strange.add(merchantId)
    return strange
  }

  async function recordLosses(): Promise<void> {
    const losses = buffer.takeLosses()
    if (losses.length === 0) return
    try {
      const strange = await findUnknownMerchants(new Set(losses.map(({ merchantId }) => merchantId)))
      await write(losses.filter(({ merchantId }) => !strange.has(merchantId)).map(rowOfLoss))
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

/** A member's path or another name of ours; what a merchant's endpoint said is not stored. */
function loggableData(told: unknown): string {
  return typeof told === 'string' && (isLoggableId(told) || isLoggableWord(told)) ? told : ''
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

/** The merchant id in an X-Auth header, proved or not. */
function merchantIdIn(xAuth: string | null): string | null {
  const named = xAuth?.split(':', 1)[0]?.trim() ?? ''
  return isLoggableId(named) ? named : null
}

/** More merchants in one process than this are dropped by age alone. */
const merchantsMax = 100_000
const uncounted = -1
const pageSize = 100
/** At most so many a run; what is left waits for the next. */
const pagesMax = 50
const dayMs = 86_400_000
