import { errorEntry } from '@tessera/contract/errors'
import { bucketOf } from '@tessera/vault/id'

import type { Clock } from '../clock.ts'
import type { MerchantBook } from '../merchants/book.ts'
import type { AnsweredCall, NoteCall } from '../rpc/answered.ts'
import type { Store, WholeRequestRow } from '../store/store.ts'

import { cardIdOf, isKeptId, isKeptWord, redactParams, redactResult } from './redact.ts'
import { makeRing, type Loss } from './ring.ts'

/** Keeps calls in the request log: behind the calls, in batches, and what there is no room for is counted and told. */
export interface Recorder {
  readonly note: NoteCall
  /** Writes what waits; tells how many rows. What the store does not take stays, as long as there is room. */
  runOnce(stopping: AbortSignal): Promise<number>
  /** Drops what is too old, and what is too much of one merchant; slice by slice. */
  dropPast(stopping: AbortSignal): Promise<number>
  /** Calls that were not recorded since the start. */
  lost(): number
  /** Calls that wait to be written. */
  waiting(): number
}

export interface RecorderParts {
  readonly store: Pick<Store, 'appendRequests' | 'findRequestBehind' | 'dropRequestsOf' | 'dropRequests'>
  readonly merchants: Pick<MerchantBook, 'find'>
  readonly clock: Pick<Clock, 'now'>
  readonly figures: RecorderFigures
  /** A call that could not be recorded: a fault of ours. */
  readonly failed: (err: unknown) => void
}

export interface RecorderFigures {
  /** 0: nothing is recorded. */
  readonly days: number
  /** Of one merchant. */
  readonly rowsMax: number
  readonly waitingMax: number
}

/** What a call's row keeps besides its columns. */
export interface RequestDetail {
  readonly data: string
  readonly params: ReturnType<typeof redactParams>
  readonly result: ReturnType<typeof redactResult>
}

export function makeRecorder({ store, merchants, clock, figures, failed }: RecorderParts): Recorder {
  const ring = makeRing({ rowsMax: figures.waitingMax, unprovedMax: Math.ceil(figures.waitingMax / 10) })
  /** Rows written since a merchant's were last counted; its first one counts them. */
  const written = new Map<string, number>()
  return Object.freeze<Recorder>({
    note(call) {
      if (figures.days === 0) return
      const merchantId = call.caller?.merchantId ?? namedBy(call.xAuth)
      try {
        if (merchantId !== null) ring.add(recordOf(call, merchantId, clock.now()))
      } catch (err) {
        // The call is answered whatever becomes of its record.
        failed(err)
      }
    },
    async runOnce(stopping) {
      let count = 0
      for (let page = 0; page < pagesMax && !stopping.aborted; page++) {
        const taken = ring.take(pageSize)
        if (taken.length === 0) break
        try {
          count += await write(await known(taken))
        } catch (err) {
          ring.putBack(taken)
          throw err
        }
      }
      await tellLosses()
      return count
    },
    async dropPast(stopping) {
      let dropped = figures.days === 0 ? 0 : await store.dropRequests(clock.now() - figures.days * dayMs, stopping)
      for (const [merchantId, rows] of written) {
        if (stopping.aborted) break
        if (rows >= 0 && rows < figures.rowsMax / 100) continue
        dropped += await dropBehind(merchantId, stopping)
        written.set(merchantId, 0)
      }
      return dropped
    },
    lost: ring.lost,
    waiting: ring.waiting,
  })

  async function write(rows: readonly WholeRequestRow[]): Promise<number> {
    if (rows.length === 0) return 0
    await store.appendRequests(rows)
    for (const { merchantId } of rows) {
      if (written.size >= merchantsMax && !written.has(merchantId)) continue
      const before = written.get(merchantId)
      written.set(merchantId, before === undefined || before < 0 ? uncounted : before + 1)
    }
    return rows.length
  }

  /** Anybody may name a merchant: what names none that exists is left out. */
  async function known(rows: readonly WholeRequestRow[]): Promise<WholeRequestRow[]> {
    const named = new Set(rows.filter(({ caller }) => caller === 'unproved').map(({ merchantId }) => merchantId))
    const strange = await strangers(named)
    return rows.filter(({ merchantId }) => !strange.has(merchantId))
  }

  async function strangers(named: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const strange = new Set<string>()
    for (const merchantId of named) if ((await merchants.find(merchantId)) === null) strange.add(merchantId)
    return strange
  }

  async function tellLosses(): Promise<void> {
    const losses = ring.takeLosses()
    if (losses.length === 0) return
    try {
      const strange = await strangers(new Set(losses.map(({ merchantId }) => merchantId)))
      await write(losses.filter(({ merchantId }) => !strange.has(merchantId)).map(rowOfLoss))
    } catch (err) {
      ring.putLossesBack(losses)
      throw err
    }
  }

  async function dropBehind(merchantId: string, stopping: AbortSignal): Promise<number> {
    const of = { bucket: bucketOf(merchantId), merchantId }
    const upTo = await store.findRequestBehind({ ...of, keep: figures.rowsMax })
    let dropped = 0
    for (let slice = upTo === null ? 0 : -1; slice !== 0 && upTo !== null && !stopping.aborted; dropped += slice) {
      slice = await store.dropRequestsOf({ ...of, upTo })
    }
    return dropped
  }
}

function recordOf(call: AnsweredCall, merchantId: string, at: number): WholeRequestRow {
  const { requestId, method, profile, error, ms, bytes } = call
  const params = redactParams(method, call.params)
  const result = redactResult(method, call.result)
  const detail: RequestDetail = { data: wordOf(error?.data), params, result }
  return {
    ...{ bucket: call.caller?.bucket ?? bucketOf(merchantId), merchantId, at, requestId, method: method ?? '', profile, bytes },
    ...outcomeOf(call),
    micros: Math.round(ms * 1000),
    caller: call.caller === null ? 'unproved' : call.caller.as === 'server' ? 'server' : 'browser',
    cardId: cardIdOf(params, result),
    ...{ lost: 0, lostFrom: 0, detail: JSON.stringify(detail) },
  }
}

/** The code that the caller was told, 0 for a result. */
function outcomeOf({ error, profile }: AnsweredCall): { code: number; reason: string } {
  if (error === null) return { code: 0, reason: '' }
  const { code, specCode, reason } = errorEntry(error.entry)
  return { code: profile === 'spec' ? (specCode ?? code) : code, reason }
}

/** A member's path or another word of ours; what a merchant's endpoint said is not kept. */
function wordOf(told: unknown): string {
  return typeof told === 'string' && (isKeptId(told) || isKeptWord(told)) ? told : ''
}

function rowOfLoss({ merchantId, bucket, count, from, to, requestId }: Loss): WholeRequestRow {
  return {
    ...{ bucket, merchantId, at: to, requestId, method: '', profile: 'spec', code: 0, reason: '', micros: 0, caller: 'server' },
    ...{ cardId: '', lost: count, lostFrom: from, bytes: 0, detail: '' },
  }
}

/** The merchant id that an X-Auth names, whether it is its own or not. */
function namedBy(xAuth: string | null): string | null {
  const named = xAuth?.split(':', 1)[0]?.trim() ?? ''
  return isKeptId(named) ? named : null
}

/** More merchants in one process than this are dropped by age alone. */
const merchantsMax = 100_000
const uncounted = -1
const pageSize = 100
/** A round's most: what is left waits for the next. */
const pagesMax = 50
const dayMs = 86_400_000
