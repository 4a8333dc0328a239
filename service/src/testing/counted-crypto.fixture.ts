import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/** The operations of node:crypto that a request may use, by what they are. */
const counted = {
  createHmac: 'hmac',
  createHash: 'hash',
  hash: 'hash',
  createCipheriv: 'seal',
  createDecipheriv: 'open',
  randomFillSync: 'random',
  randomBytes: 'random',
  sign: 'sign',
  verify: 'verify',
} as const

export type CryptoKind = (typeof counted)[keyof typeof counted]

/** Counts the calls of node:crypto in this thread from now on. For a process of its own. */
export function countCrypto(): { readonly take: () => Partial<Record<CryptoKind, number>> } {
  let counts: Partial<Record<CryptoKind, number>> = {}
  const functions = crypto as unknown as Record<string, (...args: unknown[]) => unknown>
  for (const [name, kind] of Object.entries(counted)) {
    const original = functions[name]
    if (original === undefined) throw new Error(`node:crypto has no ${name}`)
    functions[name] = (...args) => {
      counts[kind] = (counts[kind] ?? 0) + 1
      return original(...args)
    }
  }
  syncBuiltinESMExports()
  return {
    take: () => {
      const taken = counts
      counts = {}
      return taken
    },
  }
}
