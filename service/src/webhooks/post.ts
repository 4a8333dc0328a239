import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'

import type { Clock } from '../clock.ts'

import { hostOf, type Address, type Guard } from './guard.ts'

/** What became of one attempt, in a word. Only `delivered` is delivered; an endpoint that redirects has refused. */
export interface Posted {
  readonly outcome: 'delivered' | 'refused' | 'late' | 'unreachable' | 'forbidden_address' | 'stopped'
  /** HTTP status; 0 without one. */
  readonly status: number
}

export interface PostParts {
  readonly guard: Guard
  readonly clock: Clock
  /** For name, connection and reply together. */
  readonly timeoutMs: number
}

export interface Letter {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Post = (letter: Letter, signal: AbortSignal) => Promise<Posted>

/** Posts a body to where the guard lets it go, over a connection of its own. Never throws. */
export function makePost({ guard, clock, timeoutMs }: PostParts): Post {
  return async (letter, signal) => {
    const ending = new AbortController()
    const isStopped = (): boolean => signal.aborted
    const stop = (): void => ending.abort(new Error('the service stops'))
    signal.addEventListener('abort', stop, { once: true })
    const tooLate = clock.sleep(timeoutMs, ending.signal).then<Posted, Posted>(
      () => late,
      () => stopped,
    )
    try {
      if (isStopped()) return stopped
      const said = await Promise.race([send(guard, letter, ending.signal), tooLate])
      return isStopped() && said.outcome !== 'delivered' ? stopped : said
    } finally {
      signal.removeEventListener('abort', stop)
      ending.abort(new Error('the attempt is over'))
    }
  }
}

async function send(guard: Guard, letter: Letter, signal: AbortSignal): Promise<Posted> {
  try {
    const address = await guard.choose(letter.url)
    if (address === null) return { outcome: 'forbidden_address', status: 0 }
    const reply = await ask(letter, address, signal)
    const status = reply.statusCode ?? 0
    reply.resume().destroy()
    return { outcome: status >= 200 && status <= 299 ? 'delivered' : 'refused', status }
  } catch {
    return { outcome: 'unreachable', status: 0 }
  }
}

/** Resolves with the head of the reply, once so much of its body was read, or all of it, that the other side is not cut off for nothing. */
function ask({ url, headers, body }: Letter, address: Address, signal: AbortSignal): Promise<IncomingMessage> {
  const options: RequestOptions = {
    ...{ method: 'POST', agent: false, signal, maxHeaderSize: headBytesMax, lookup: alwaysAt(address), family: address.family },
    ...{ protocol: url.protocol, hostname: hostOf(url), port: url.port, path: `${url.pathname}${url.search}` },
    headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), connection: 'close' },
  }
  return new Promise((resolve, reject) => {
    const asking = (url.protocol === 'https:' ? requestHttps : requestHttp)(options)
    asking.on('error', reject)
    asking.on('response', (reply) => {
      let read = 0
      const done = (): void => resolve(reply)
      reply.on('data', (chunk: Buffer) => {
        read += chunk.length
        if (read >= replyBytesMax) done()
      })
      reply.once('end', done).once('error', done).once('close', done)
    })
    asking.end(body)
  })
}

/** The name is not looked up again: what was judged is what is connected to. */
function alwaysAt({ address, family }: Address): LookupFunction {
  return (_host, options, tell) => (options.all === true ? tell(null, [{ address, family }]) : tell(null, address, family))
}

const late: Posted = Object.freeze({ outcome: 'late', status: 0 })
const stopped: Posted = Object.freeze({ outcome: 'stopped', status: 0 })
const replyBytesMax = 4096
const headBytesMax = 8192
