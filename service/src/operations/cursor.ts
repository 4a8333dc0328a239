import { RpcError } from '@tessera/contract/errors'

import type { TimeCursor } from '../domain/reporting/cards.ts'

/** Reads `after` of a list by time, in the form of `formatCursor`. Throws `memberInvalid` for anything else. */
export function readCursor(after: string | null | undefined): TimeCursor | null {
  if (after === null || after === undefined) return null
  const [, at, id = ''] = /^(\d{1,16})\.([0-9a-f]{1,64})$/.exec(after) ?? []
  if (at === undefined) throw new RpcError('memberInvalid', { data: 'after' })
  return { at: Number(at), id }
}

/** The cursor of the next page; null after the last one. */
export function formatCursor(cursor: TimeCursor | null): string | null {
  return cursor === null ? null : `${cursor.at}.${cursor.id}`
}
