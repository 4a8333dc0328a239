import type { AddressClass } from './request-row.ts'

/**
 * The class of a caller's address: an address itself would be personal data that nobody needs to find a fault. IPv4 in any notation of node:net, also as
 * IPv4-mapped IPv6. RFC 1918, 3927, 4193, 4291 and 6598.
 */
export function addressClassOf(address: string): AddressClass {
  if (address === '') return ''
  const plain = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
  if (plain.startsWith('127.') || plain === '::1') return 'loopback'
  return privateV4.test(plain) || privateV6.test(plain) ? 'private' : 'public'
}

const privateV4 = /^(10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2[0-9]|3[01])\.|100\.(6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7])\.)/
const privateV6 = /^f(e[89ab]|[cd])[0-9a-f]*:/i
