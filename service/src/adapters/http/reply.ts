import type { IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'

import { withTimeout, type TimeoutOptions } from '../../clock.ts'

import type { ResolvedAddress } from './address-guard.ts'

/** Why there is no reply: the timeout passed, or the service is stopping. */
export interface MissingReply {
  readonly outcome: 'late' | 'stopped'
}

/** Makes one request, and aborts it when there is no reply in time. A reply that has arrived is used even when the service is stopping. */
export async function replyInTime<T extends { readonly outcome: string }>(
  options: TimeoutOptions,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T | MissingReply> {
  const reply = await withTimeout<T | MissingReply>(options, late, request)
  return options.signal?.aborted === true && reply.outcome !== 'responded' ? stopped : reply
}

const late: MissingReply = Object.freeze({ outcome: 'late' })
const stopped: MissingReply = Object.freeze({ outcome: 'stopped' })

/** Reads a reply's body up to a limit; null when it is longer or incomplete. */
export function readBoundedBody(reply: IncomingMessage, bytesMax: number): Promise<Uint8Array | null> {
  const chunks: Buffer[] = []
  let read = 0
  return new Promise((resolve) => {
    const done = (isComplete: boolean): void => {
      resolve(isComplete ? Uint8Array.from(Buffer.concat(chunks)) : null)
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

/** A lookup function that returns the checked address, so that the name is not resolved again. */
export function pinnedLookup({ address, family }: ResolvedAddress): LookupFunction {
  return (_host, options, callback) => (options.all === true ? callback(null, [{ address, family }]) : callback(null, address, family))
}

export const headBytesMax = 8192
