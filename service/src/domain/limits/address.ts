import { isIPv4, isIPv6 } from 'node:net'

/** `::ffff:10.0.0.1` → `10.0.0.1`: on a dual-stack listener an IPv4 client has one address, not two. */
export function plainAddress(address: string): string {
  const mapped = address.startsWith('::ffff:') ? address.slice(7) : ''
  return isIPv4(mapped) ? mapped : address
}

/**
 * The block that one subscriber commonly has: /24 of IPv4, /56 of IPv6 (RFC 6177 §2). Addresses of a block share a limit, so that a rented block does not
 * count as 256 clients. Anything that is not an address is a block of its own.
 */
export function blockOf(address: string): string {
  if (isIPv4(address)) return `${address.slice(0, address.lastIndexOf('.'))}.0/24`
  if (!isIPv6(address)) return address
  const groups = expand(address.split('%')[0] ?? '')
  return `${groups.slice(0, 3).join(':')}:${(Number.parseInt(groups[3] ?? '0', 16) >> 8).toString(16)}/56`
}

/** The subscriber that requests and connections are counted for: an IPv4 address, or the /64 of IPv6, all of whose addresses one machine may take (RFC 8981). */
export function subscriberOf(address: string): string {
  // The first test is for speed: every request comes here twice, and isIPv6 is a long regular expression.
  if (!address.includes(':') || !isIPv6(address)) return address
  return `${expand(address.split('%')[0] ?? '')
    .slice(0, 4)
    .join(':')}/64`
}

/** The groups of an IPv6 address with `::` expanded. */
function expand(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  return [...left, ...Array.from({ length: missing }, () => '0'), ...right].map((group) => Number.parseInt(group, 16).toString(16))
}
