import { RpcError } from '@tessera/contract/errors'
import { SettingProblem } from '@tessera/contract/setting-problems'

import type { HttpGet, HttpGetResponse } from '../../adapters/http/http-get.ts'
import { isThisMachine, type AddressGuard } from '../../adapters/http/address-guard.ts'

/** A fetched page. */
export interface FetchedPage {
  readonly url: URL
  readonly text: string
  readonly policies: readonly string[]
  /** Those that protect a page, by name. */
  readonly headers: Readonly<Record<string, string>>
}

export interface FetchPageDependencies {
  readonly get: HttpGet
  readonly guard: Pick<AddressGuard, 'readUrl'>
  /** Whether loopback addresses are allowed; only in the test environment. */
  readonly isLoopbackWelcome: boolean
}

/** Fetches a page from a registered origin of the merchant. Follows a few redirects and checks each like the first address. */
export type FetchPage = (text: string, origins: readonly string[], signal: AbortSignal) => Promise<FetchedPage>

export function makeFetchPage({ get, guard, isLoopbackWelcome }: FetchPageDependencies): FetchPage {
  return async (text, origins, signal) => {
    let url = read(text, origins)
    for (let hops = 0; hops <= hopsMax; hops++) {
      const got = await get(url, signal)
      if (got.outcome !== 'responded') throw notChecked(got.outcome)
      if (!isRedirect(got.status)) return readReply(url, got)
      url = read(URL.parse(got.headers.location, url.href)?.href ?? '', origins)
    }
    throw notChecked('too_many_redirects')
  }

  function read(text: string, origins: readonly string[]): URL {
    const url = URL.parse(text)
    if (url === null || !/^https?:$/.test(url.protocol)) throw notChecked('no_address')
    url.hash = ''
    if (!origins.includes(url.origin) && !(isLoopbackWelcome && isThisMachine(url))) throw notChecked('origin_not_registered')
    const checked = guard.readUrl(url.href)
    if (checked instanceof SettingProblem) throw notChecked('no_address')
    return checked
  }
}

function readReply(url: URL, { status, headers, body }: HttpGetResponse): FetchedPage {
  if (status !== 200) throw notChecked(`status_${String(status)}`)
  if (body === null) throw notChecked('too_large')
  if (headers.contentEncoding !== '' && headers.contentEncoding !== 'identity') throw notChecked('compressed')
  const text = Buffer.from(body).toString('utf8')
  if (!isHtml(text)) throw notChecked('not_html')
  const policies = headers.contentSecurityPolicy === '' ? [] : [headers.contentSecurityPolicy]
  return { url, text, policies, headers: headers.protecting }
}

/** The same limits as the command-line tool. */
export function isHtml(text: string): boolean {
  return !text.includes('\0') && /<[a-z!]/i.test(text)
}

export function notChecked(word: string): RpcError {
  return new RpcError('pageNotChecked', { data: word })
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status)
}

const hopsMax = 3
