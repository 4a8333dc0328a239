import { createHash } from 'node:crypto'

import { SettingProblem } from '@tessera/contract/setting-problems'

import type { AddressGuard } from '../../adapters/http/address-guard.ts'
import type { HttpGet } from '../../adapters/http/http-get.ts'

/** Fetches a script of a page for the hash of its content: `sha256-…`, or why there is none, such as `status_404`. Never throws. */
export type FetchScript = (address: string, signal: AbortSignal) => Promise<string>

/** The guard is that of pages: https, no private address, one name resolution. No redirect is followed. */
export function makeFetchScript({ get, guard }: { readonly get: HttpGet; readonly guard: Pick<AddressGuard, 'readUrl'> }): FetchScript {
  return async (address, signal) => {
    const url = guard.readUrl(address)
    if (url instanceof SettingProblem) return 'no_address'
    const got = await get(url, signal)
    if (got.outcome !== 'responded') return got.outcome
    if (got.status !== 200) return `status_${String(got.status)}`
    return got.body === null ? 'too_large' : `sha256-${createHash('sha256').update(got.body).digest('base64')}`
  }
}
