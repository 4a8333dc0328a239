import { RpcError } from '@tessera/contract/errors'

import type { TimePlace } from '../dashboard/cards.ts'

/** Reads `after` of a list by time, as `writePlace` wrote it. Throws `memberInvalid` for anything else. */
export function readPlace(after: string | null | undefined): TimePlace | null {
  if (after === null || after === undefined) return null
  const [, at, id = ''] = /^(\d{1,16})\.([0-9a-f]{1,64})$/.exec(after) ?? []
  if (at === undefined) throw new RpcError('memberInvalid', { data: 'after' })
  return { at: Number(at), id }
}

/** Where the next page begins; null after the last one. */
export function writePlace(place: TimePlace | null): string | null {
  return place === null ? null : `${place.at}.${place.id}`
}
