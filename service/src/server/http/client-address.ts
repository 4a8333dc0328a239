import { isIP } from 'node:net'

import { plainAddress } from '../../domain/limits/address.ts'

/** The proxies before us that are trusted to name the client. */
export interface TrustedProxies {
  /** The header that they write: `x-forwarded-for`, or `forwarded` (RFC 7239). The other one is never read: a client may have sent it. */
  readonly header: 'x-forwarded-for' | 'forwarded'
  has(address: string): boolean
}

/** No proxy is trusted: the client is the peer of the connection. */
export const noProxies: TrustedProxies = Object.freeze({ header: 'x-forwarded-for', has: () => false })

/**
 * The client's address, for limits. Each proxy appends the address that it heard from, so the list is read from the right as long as the writer is
 * trusted; the first address that is not a trusted proxy's is the client's. What that client wrote itself, further left, is never believed. An entry
 * that is not an address ends the search: the client is the last one that was.
 */
export function clientAddress(peer: string, rawHeaders: readonly string[], proxies: TrustedProxies): string {
  let client = plainAddress(peer)
  if (!proxies.has(client)) return client
  const entries = entriesOf(rawHeaders, proxies.header)
  for (let hop = 1; hop <= Math.min(entries.length, hopsMax); hop++) {
    const address = addressIn(entries[entries.length - hop] ?? '', proxies.header)
    if (address === null) return client
    client = address
    if (!proxies.has(client)) return client
  }
  return client
}

/** The members of all lines of a header, in their order (RFC 9110 §5.3). */
function entriesOf(raw: readonly string[], header: string): string[] {
  const lines: string[] = []
  for (let i = 0; i + 1 < raw.length; i += 2) if (raw[i]?.toLowerCase() === header) lines.push(raw[i + 1] ?? '')
  return lines.join(',').split(',')
}

/** One member: an address, with or without a port; in `Forwarded` as its `for`. Null for `unknown`, for names and for what is broken. */
function addressIn(member: string, header: TrustedProxies['header']): string | null {
  const written = header === 'forwarded' ? forOf(member) : member.trim()
  const bracketed = /^\[([0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?$/.exec(written)
  const withPort = /^([0-9.]+):[0-9]{1,5}$/.exec(written)
  const address = bracketed?.[1] ?? withPort?.[1] ?? written
  return isIP(address) === 0 || address.includes('%') ? null : plainAddress(address.toLowerCase())
}

/** The value of `for=`, its quotes taken off; quoted commas do not occur in addresses, so a member that has one is broken and not believed. */
function forOf(member: string): string {
  const pairs = member.split(';').map((pair) => /^\s*for\s*=\s*("?)([^"]*)\1\s*$/i.exec(pair)?.[2] ?? null)
  const named = pairs.filter((value) => value !== null)
  return named.length === 1 ? (named[0] ?? '').trim() : ''
}

/** Proxies one behind another that a request passes at most. */
const hopsMax = 16
