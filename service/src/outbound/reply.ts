import type { IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'

import type { Address } from './guard.ts'

/** Reads so much of a reply's body, or all of it, so that the other side is not cut off for nothing; null: it was longer, or broke off. */
export function readBody(reply: IncomingMessage, bytesMax: number): Promise<Uint8Array | null> {
  const chunks: Buffer[] = []
  let read = 0
  return new Promise((resolve) => {
    const done = (isWhole: boolean): void => {
      resolve(isWhole ? Uint8Array.from(Buffer.concat(chunks)) : null)
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
export function alwaysAt({ address, family }: Address): LookupFunction {
  return (_host, options, tell) => (options.all === true ? tell(null, [{ address, family }]) : tell(null, address, family))
}

export const headBytesMax = 8192
