import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps, type RequestOptions } from 'node:https'
import type { LookupFunction } from 'node:net'

import type { Clock } from '../clock.ts'

import { hostOf, type Address, type Guard } from './guard.ts'

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
  return async (letter, signal) => {
    const ending = new AbortController()
    const isStopped = (): boolean => signal.aborted
    const stop = (): void => ending.abort(new Error('the service stops'))
    signal.addEventListener('abort', stop, { once: true })
    const tooLate = clock.sleep(timeoutMs, ending.signal).then<Sent, Sent>(
      () => late,
      () => stopped,
    )
    try {
      if (isStopped()) return stopped
      const sent = await Promise.race([send(letter, ending.signal), tooLate])
      return isStopped() && sent.outcome !== 'answered' ? stopped : sent
    } finally {
      signal.removeEventListener('abort', stop)
      ending.abort(new Error('the attempt is over'))
    }
  }

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

/** Resolves once so much of the reply's body was read, or all of it, that the other side is not cut off for nothing. */
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
    asking.on('response', (reply) => void readReply(reply, replyBytesMax).then(resolve, reject))
    asking.end(body)
  })
}

function readReply(reply: IncomingMessage, bytesMax: number): Promise<Answered> {
  const status = reply.statusCode ?? 0
  const chunks: Buffer[] = []
  let read = 0
  return new Promise((resolve) => {
    const done = (isWhole: boolean): void => {
      resolve({ outcome: 'answered', status, body: isWhole ? Uint8Array.from(Buffer.concat(chunks)) : null })
      reply.destroy()
    }
    reply.on('data', (chunk: Buffer) => {
      read += chunk.length
      if (read > bytesMax) done(false)
      else chunks.push(chunk)
    })
    reply.once('end', () => done(reply.complete))
    reply.once('error', () => done(false)).once('close', () => done(false))
  })
}

/** The name is not looked up again: what was judged is what is connected to. */
function alwaysAt({ address, family }: Address): LookupFunction {
  return (_host, options, tell) => (options.all === true ? tell(null, [{ address, family }]) : tell(null, address, family))
}

const late: Unanswered = Object.freeze({ outcome: 'late' })
const stopped: Unanswered = Object.freeze({ outcome: 'stopped' })
const headBytesMax = 8192
