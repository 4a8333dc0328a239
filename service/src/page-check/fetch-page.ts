import { RpcError } from '@tessera/contract/errors'

import type { Get, GotReply } from '../outbound/get.ts'
import { isHere, type Guard } from '../outbound/guard.ts'

/** A page as it was answered. */
export interface FetchedPage {
  readonly url: URL
  readonly text: string
  readonly policies: readonly string[]
}

export interface FetchParts {
  readonly get: Get
  readonly guard: Pick<Guard, 'readUrl'>
  /** Whether this machine itself may be asked: in the test environment. */
  readonly isLoopbackWelcome: boolean
}

/** Fetches a page of the merchant's: of its registered origins alone, through few redirects, each judged as the first. */
export type FetchPage = (text: string, origins: readonly string[], signal: AbortSignal) => Promise<FetchedPage>

export function makeFetchPage({ get, guard, isLoopbackWelcome }: FetchParts): FetchPage {
  return async (text, origins, signal) => {
    let url = read(text, origins)
    for (let hops = 0; hops <= hopsMax; hops++) {
      const got = await get(url, signal)
      if (got.outcome !== 'answered') throw notChecked(got.outcome)
      if (!isRedirect(got.status)) return readReply(url, got)
      url = read(URL.parse(got.headers.location, url.href)?.href ?? '', origins)
    }
    throw notChecked('too_many_redirects')
  }

  function read(text: string, origins: readonly string[]): URL {
    const url = URL.parse(text)
    if (url === null || !/^https?:$/.test(url.protocol)) throw notChecked('no_address')
    url.hash = ''
    if (!origins.includes(url.origin) && !(isLoopbackWelcome && isHere(url))) throw notChecked('origin_not_registered')
    const judged = guard.readUrl(url.href)
    if (typeof judged === 'string') throw notChecked('no_address')
    return judged
  }
}

function readReply(url: URL, { status, headers, body }: GotReply): FetchedPage {
  if (status !== 200) throw notChecked(`status_${String(status)}`)
  if (body === null) throw notChecked('too_large')
  if (headers.contentEncoding !== '' && headers.contentEncoding !== 'identity') throw notChecked('compressed')
  const text = Buffer.from(body).toString('utf8')
  if (!isHtml(text)) throw notChecked('not_html')
  return { url, text, policies: headers.contentSecurityPolicy === '' ? [] : [headers.contentSecurityPolicy] }
}

/** As the command has it. */
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
