import { RpcError } from '@tessera/contract/errors'

import type { TimeCursor } from '../domain/reporting/cards.ts'

/** Reads `after` of a list by time, as `formatCursor` wrote it. Throws `memberInvalid` for anything else. */
export function readCursor(after: string | null | undefined): TimeCursor | null {
  if (after === null || after === undefined) return null
  const [, at, id = ''] = /^(\d{1,16})\.([0-9a-f]{1,64})$/.exec(after) ?? []
  if (at === undefined) throw new RpcError('memberInvalid', { data: 'after' })
  return { at: Number(at), id }
}

/** Where the next page begins; null after the last one. */
export function formatCursor(place: TimeCursor | null): string | null {
  return place === null ? null : `${place.at}.${place.id}`
}
