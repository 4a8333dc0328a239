import { request as requestHttp } from 'node:http'
import { request as requestHttps, type RequestOptions } from 'node:https'

import type { Clock } from '../clock.ts'

import { hostOf, type Address, type Guard } from './guard.ts'
import { inTime } from './in-time.ts'
import { alwaysAt, headBytesMax, readBody } from './reply.ts'

/** What became of one request to a merchant's server. */
export type Sent = Answered | Unanswered

export interface Answered {
  readonly outcome: 'answered'
  /** HTTP status; a redirect is one like any other, and not followed. */
  readonly status: number
  /** As much of the body as is read; null when it was longer, or broke off. */
  readonly body: Uint8Array | null
}

export interface Unanswered {
  readonly outcome: 'late' | 'unreachable' | 'forbidden_address' | 'stopped'
}

export interface SendParts {
  readonly guard: Guard
  readonly clock: Clock
  /** For name, connection and reply together. */
  readonly timeoutMs: number
  readonly replyBytesMax: number
}

export interface Letter {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Send = (letter: Letter, signal: AbortSignal) => Promise<Sent>

/** Posts a JSON body to where the guard lets it go, over a connection of its own, and reads a bounded reply. Never throws. */
export function makeSend({ guard, clock, timeoutMs, replyBytesMax }: SendParts): Send {
  return (letter, signal) => inTime({ clock, timeoutMs }, signal, (ending) => send(letter, ending))

  async function send(letter: Letter, signal: AbortSignal): Promise<Sent> {
    try {
      const address = await guard.choose(letter.url)
      return address === null ? { outcome: 'forbidden_address' } : await ask({ letter, address, replyBytesMax }, signal)
    } catch {
      return { outcome: 'unreachable' }
    }
  }
}

interface Asking {
  readonly letter: Letter
  readonly address: Address
  readonly replyBytesMax: number
}

function ask({ letter: { url, headers, body }, address, replyBytesMax }: Asking, signal: AbortSignal): Promise<Answered> {
  const options: RequestOptions = {
    ...{ method: 'POST', agent: false, signal, maxHeaderSize: headBytesMax, lookup: alwaysAt(address), family: address.family },
    // Said here, so that NODE_TLS_REJECT_UNAUTHORIZED, set for something else, does not tell merchants' passwords and events to anybody.
    rejectUnauthorized: true,
    ...{ protocol: url.protocol, hostname: hostOf(url), port: url.port, path: `${url.pathname}${url.search}` },
    headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), connection: 'close' },
  }
  return new Promise((resolve, reject) => {
    const asking = (url.protocol === 'https:' ? requestHttps : requestHttp)(options)
    asking.on('error', reject)
    asking.on('response', (reply) => {
      const status = reply.statusCode ?? 0
      void readBody(reply, replyBytesMax).then((read) => resolve({ outcome: 'answered', status, body: read }), reject)
    })
    asking.end(body)
  })
}
