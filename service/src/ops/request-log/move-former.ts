import {
  deleteFormerRequests,
  type FormerRequestKey,
  type FormerRequestRow,
  listFormerRequests,
  type ListedFormerRequest,
} from '../../store/former-request-log.ts'
import type { RequestLogStore } from '../../store/request-log-store.ts'
import type { Store } from '../../store/store.ts'

import { encodeRow, type EncodedRow, type RequestDetail, type RequestRow } from './request-row.ts'
import { toSegments } from './waiting-segment.ts'

export interface FormerRequestMove {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly requestLog: Pick<RequestLogStore, 'append'>
  /** Gets one line a run about rows that were deleted because they cannot be read. */
  readonly log: { warn(event: string, fields: { readonly count: number; readonly err: unknown }): void }
}

/**
 * Moves the calls that an older version recorded, a row each, into the request log. Returns how many. A crash between the two steps of a page repeats it,
 * which makes the same segments.
 */
export async function moveFormerRequests({ store, requestLog, log }: FormerRequestMove, stopping: AbortSignal): Promise<number> {
  let moved = 0
  const errors: unknown[] = []
  for (let page = 0; page < maxPages && !stopping.aborted; page++) {
    const listed = await store.read(listFormerRequests())
    if (listed.length === 0) break
    const rows = listed.map((each) => encodeListed(each, errors)).filter((row) => row !== null)
    if (rows.length > 0) await requestLog.append(toSegments(rows))
    for (const last of lastOfMerchants(listed)) await store.write(deleteFormerRequests, { last })
    moved += rows.length
  }
  if (errors.length > 0) log.warn('former_requests_unreadable', { count: errors.length, err: errors[0] })
  return moved
}

/** Null for a row that cannot be read, or whose text would make its whole segment unreadable. */
function encodeListed(listed: ListedFormerRequest, errors: unknown[]): EncodedRow | null {
  try {
    const encoded = encodeRow(toRow(listed.read()))
    JSON.parse(encoded.text)
    return encoded
  } catch (err) {
    errors.push(err)
    return null
  }
}

function toRow({ detail, ...row }: FormerRequestRow): RequestRow {
  return { ...row, addressClass: '', detail: parseDetail(detail) }
}

/** A row that stands for lost calls has none. */
function parseDetail(detail: string): RequestDetail {
  if (detail !== '') return JSON.parse(detail) as RequestDetail
  return { data: '', params: { list: [], more: 0 }, result: { list: [], more: 0 } }
}

function lastOfMerchants(rows: readonly FormerRequestKey[]): FormerRequestKey[] {
  const last = new Map(rows.map(({ bucket, merchantId, at, requestId }) => [merchantId, { bucket, merchantId, at, requestId }]))
  return [...last.values()]
}

/** Ten thousand rows a run: some seconds of a store that serves calls meanwhile. */
const maxPages = 100
