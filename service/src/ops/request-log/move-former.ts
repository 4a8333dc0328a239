import { deleteFormerRequests, type FormerRequestRow, listFormerRequests } from '../../store/former-request-log.ts'
import type { RequestLogStore } from '../../store/request-log-store.ts'
import type { Store } from '../../store/store.ts'

import { encodeRow, toSegments, type RequestDetail, type RequestRow } from './request-row.ts'

/**
 * Moves the calls that an older version recorded, a row each, into the request log. Returns how many. A crash between the two steps of a page repeats it,
 * which makes the same segments.
 */
export async function moveFormerRequests(
  store: Pick<Store, 'read' | 'write'>,
  requestLog: Pick<RequestLogStore, 'append'>,
  stopping: AbortSignal,
): Promise<number> {
  let moved = 0
  for (let page = 0; page < maxPages && !stopping.aborted; page++) {
    const rows = await store.read(listFormerRequests())
    if (rows.length === 0) break
    await requestLog.append(toSegments(rows.map(toRow).map(encodeRow)))
    for (const last of lastOfMerchants(rows)) await store.write(deleteFormerRequests, { last })
    moved += rows.length
  }
  return moved
}

function toRow({ detail, ...row }: FormerRequestRow): RequestRow {
  return { ...row, addressClass: '', detail: parseDetail(detail) }
}

/** A row that stands for lost calls has none. */
function parseDetail(detail: string): RequestDetail {
  if (detail !== '') return JSON.parse(detail) as RequestDetail
  return { data: '', params: { list: [], more: 0 }, result: { list: [], more: 0 } }
}

function lastOfMerchants(rows: readonly FormerRequestRow[]): FormerRequestRow[] {
  return [...new Map(rows.map((row) => [row.merchantId, row])).values()]
}

/** Ten thousand rows a run: some seconds of a store that serves calls meanwhile. */
const maxPages = 20
