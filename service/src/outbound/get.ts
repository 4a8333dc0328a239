import { request as requestHttp } from 'node:http'
import { request as requestHttps, type RequestOptions } from 'node:https'

import type { Clock } from '../clock.ts'

import { hostOf, type Address, type Guard } from './guard.ts'
import { inTime, type Ended } from './in-time.ts'
import { alwaysAt, headBytesMax, readBody } from './reply.ts'

/** What became of asking for a page. */
export type Got = GotReply | Ended | { readonly outcome: 'unreachable' | 'forbidden_address' }

export interface GotReply {
  readonly outcome: 'answered'
  /** HTTP status; a redirect is one like any other, and not followed. */
  readonly status: number
  /** '' where a header is not there; several of a name are joined by commas. */
  readonly headers: { readonly location: string; readonly contentEncoding: string; readonly contentSecurityPolicy: string }
  /** Null when it was longer, or broke off. */
  readonly body: Uint8Array | null
}

export interface GetParts {
  readonly guard: Pick<Guard, 'choose'>
  readonly clock: Clock
  /** For name, connection and reply together. */
  readonly timeoutMs: number
  readonly replyBytesMax: number
}

export type Get = (url: URL, signal: AbortSignal) => Promise<Got>

/** Asks for a page where the guard lets it go, without cookies or passwords, over a connection of its own, and reads a bounded reply. Never throws. */
export function makeGet({ guard, clock, timeoutMs, replyBytesMax }: GetParts): Get {
  return (url, signal) =>
    inTime({ clock, timeoutMs }, signal, async (ending): Promise<Got> => {
      try {
        const address = await guard.choose(url)
        return address === null ? { outcome: 'forbidden_address' } : await ask({ url, address, replyBytesMax }, ending)
      } catch {
        return { outcome: 'unreachable' }
      }
    })
}

interface Asking {
  readonly url: URL
  readonly address: Address
  readonly replyBytesMax: number
}

function ask({ url, address, replyBytesMax }: Asking, signal: AbortSignal): Promise<GotReply> {
  const options: RequestOptions = {
    ...{ method: 'GET', agent: false, signal, maxHeaderSize: headBytesMax * 4, lookup: alwaysAt(address), family: address.family },
    // Whatever NODE_TLS_REJECT_UNAUTHORIZED says: a page that anybody on the way may have written is no page of the merchant's.
    rejectUnauthorized: true,
    ...{ protocol: url.protocol, hostname: hostOf(url), port: url.port, path: `${url.pathname}${url.search}` },
    headers: { accept: 'text/html', 'accept-encoding': 'identity', 'user-agent': 'tessera-page-check', connection: 'close' },
  }
  return new Promise((resolve, reject) => {
    const asking = (url.protocol === 'https:' ? requestHttps : requestHttp)(options)
    asking.on('error', reject)
    asking.on('response', (reply) => {
      const { location = '', 'content-encoding': contentEncoding = '', 'content-security-policy': policy = '' } = reply.headers
      const headers = { location, contentEncoding, contentSecurityPolicy: String(policy) }
      void readBody(reply, replyBytesMax).then((body) => {
        resolve({ outcome: 'answered', status: reply.statusCode ?? 0, headers, body })
      }, reject)
    })
    asking.end()
  })
}
