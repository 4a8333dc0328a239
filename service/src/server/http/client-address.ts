import { isIP } from 'node:net'

import { plainAddress } from '../../domain/limits/address.ts'

/** The proxies in front of this server that are trusted to name the client. */
export interface TrustedProxies {
  /** The header that they write: `x-forwarded-for`, or `forwarded` (RFC 7239). The other one is ignored, because a client may have sent it. */
  readonly header: 'x-forwarded-for' | 'forwarded'
  has(address: string): boolean
}

/** No proxy is trusted: the client is the peer of the connection. */
export const noProxies: TrustedProxies = Object.freeze({ header: 'x-forwarded-for', has: () => false })

/**
 * The client's address, for limits. Each proxy appends the address of its peer, so the list is read from the right; the first address that is not a
 * trusted proxy's is the client's. Entries further left were sent by the client and are ignored. An entry that is not an address ends the search:
 * the client is then the last valid address.
 */
export function clientAddress(peer: string, rawHeaders: readonly string[], proxies: TrustedProxies): string {
  let client = plainAddress(peer)
  if (!proxies.has(client)) return client
  const entries = entriesOf(rawHeaders, proxies.header)
  for (let hop = 1; hop <= Math.min(entries.length, maxHops); hop++) {
    const address = addressIn(entries[entries.length - hop] ?? '', proxies.header)
    if (address === null) return client
    client = address
    if (!proxies.has(client)) return client
  }
  return client
}

/** The list elements of a header, over all its lines (RFC 9110 §5.3). */
function entriesOf(raw: readonly string[], header: string): string[] {
  const lines: string[] = []
  for (let i = 0; i + 1 < raw.length; i += 2) if (raw[i]?.toLowerCase() === header) lines.push(raw[i + 1] ?? '')
  return lines.join(',').split(',')
}

/** One element: an address, with or without a port; in `Forwarded` its `for`. Null for `unknown`, host names and malformed elements. */
function addressIn(member: string, header: TrustedProxies['header']): string | null {
  const written = header === 'forwarded' ? forOf(member) : member.trim()
  const bracketed = /^\[([0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?$/.exec(written)
  const withPort = /^([0-9.]+):[0-9]{1,5}$/.exec(written)
  const address = bracketed?.[1] ?? withPort?.[1] ?? written
  return isIP(address) === 0 || address.includes('%') ? null : plainAddress(address.toLowerCase())
}

/** The value of `for=` without its quotes. Addresses contain no commas, so an element with a quoted comma is malformed and ignored. */
function forOf(member: string): string {
  const pairs = member.split(';').map((pair) => /^\s*for\s*=\s*("?)([^"]*)\1\s*$/i.exec(pair)?.[2] ?? null)
  const named = pairs.filter((value) => value !== null)
  return named.length === 1 ? (named[0] ?? '').trim() : ''
}

/** Most proxies in a chain. */
const maxHops = 16
