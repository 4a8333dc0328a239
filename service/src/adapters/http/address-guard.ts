import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

import { SettingProblem } from '@tessera/contract/setting-problems'

/** An address as returned by a resolver. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** Resolves a name to all its addresses; an IP address resolves to itself. */
export type ResolveHost = (host: string) => Promise<readonly ResolvedAddress[]>

/** Resolves a name with the system's resolver, in its order. */
export const resolveBySystem: ResolveHost = (host) => lookup(host, { all: true, order: 'verbatim' })

/** Decides which addresses outgoing requests may connect to. */
export interface AddressGuard {
  /** Parses the URL of an endpoint; returns a `SettingProblem` when it is not allowed. Names are resolved at delivery, not here. */
  readUrl(text: string): URL | SettingProblem
  /** Returns the address to connect to; null when any address of the name is forbidden. */
  choose(url: URL): Promise<ResolvedAddress | null>
}

export interface AddressGuardOptions {
  readonly resolve: ResolveHost
  /** Whether loopback addresses and plain http to them are allowed. For the test environment. */
  readonly allowLoopback: boolean
  /** Private networks that are allowed besides the public internet, by https. Default: none. */
  readonly isInOutboundNetwork?: (address: string) => boolean
}

/**
 * Restricts outgoing requests to the public internet. The name is resolved once, every address is checked, and the caller connects to the
 * checked address, so that DNS rebinding has no effect (docs/reference/security-rules.md#rule-33).
 */
export function makeAddressGuard({ resolve, allowLoopback, isInOutboundNetwork = () => false }: AddressGuardOptions): AddressGuard {
  return Object.freeze({ readUrl: (text: string) => readUrl(text, allowLoopback, isAllowed), choose })

  async function choose(url: URL): Promise<ResolvedAddress | null> {
    const addresses = await resolve(hostOf(url))
    if (allowLoopback && addresses.length > 0 && addresses.every(isLoopback)) return addresses[0] ?? null
    // Plain http is allowed only to this machine, whatever the name resolves to now.
    return url.protocol === 'https:' && addresses.every(isAllowed) ? (addresses[0] ?? null) : null
  }

  function isAllowed(resolved: ResolvedAddress): boolean {
    return isPublic(resolved) || (isInOutboundNetwork(resolved.address) && !isNeverAllowed(resolved))
  }
}

/** The host in the form resolvers expect: an IPv6 address without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/** Whether an address is on the public internet. Unknown ranges are not. */
export function isPublic({ address, family }: ResolvedAddress): boolean {
  if (isIP(address) === 0) return false
  return family === 6 ? globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6') : !specialV4.check(address, 'ipv4')
}

/** Whether a URL names this machine. */
export function isThisMachine(url: URL): boolean {
  const address = { address: hostOf(url), family: isIP(hostOf(url)) }
  return address.family === 0 ? url.hostname === 'localhost' : isLoopback(address)
}

function isLoopback({ address, family }: ResolvedAddress): boolean {
  return isIP(address) !== 0 && loopbackOnly.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** Addresses that no setting allows: an IPv4 address in the notation of IPv6 (RFC 4291 §2.5.5), and those of cloud metadata services. */
function isNeverAllowed({ address, family }: ResolvedAddress): boolean {
  if (isIP(address) === 0) return true
  return family === 6 ? neverV6.check(address, 'ipv6') : neverV4.check(address, 'ipv4')
}

function readUrl(text: string, loopback: boolean, isAllowed: (address: ResolvedAddress) => boolean): URL | SettingProblem {
  const url = text.length <= maxUrlLength ? URL.parse(text) : null
  if (url === null) return new SettingProblem('url_shape', maxUrlLength)
  if (url.username !== '' || url.password !== '') return new SettingProblem('url_with_credentials')
  if (url.hash !== '') return new SettingProblem('url_with_fragment')
  const address = { address: hostOf(url), family: isIP(hostOf(url)) }
  if (loopback && isThisMachine(url) && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  if (url.protocol !== 'https:') return new SettingProblem(loopback ? 'url_not_https_or_local' : 'url_not_https')
  if (address.family !== 0 && !isAllowed(address)) return new SettingProblem('url_not_public')
  return url
}

/** IANA IPv4 Special-Purpose Address Registry (RFC 6890), multicast, and cloud metadata addresses. */
const specialV4 = createBlockList('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
])
/** IPv6 global unicast (RFC 4291 §2.4); excludes v4-mapped, NAT64, link-local, unique local and multicast addresses. */
const globalV6 = createBlockList('ipv6', ['2000::/3'])
/** IANA IPv6 Special-Purpose Address Registry: Teredo and adjacent ranges, documentation, 6to4, AS112, documentation (second range). */
const specialV6 = createBlockList('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'])
/** The metadata services of the large clouds, which give credentials of the machine to any caller on it; and link-local addresses, where they usually are. */
const neverV4 = createBlockList('ipv4', [
  '0.0.0.0/8',
  '169.254.0.0/16',
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
  '224.0.0.0/4',
])
const neverV6 = createBlockList('ipv6', [
  '::/128',
  '::ffff:0:0/96',
  '64:ff9b::/96',
  '2002::/16',
  'fe80::/10',
  'fd00:ec2::254/128',
  'ff00::/8',
])
const loopbackOnly = createBlockList('ipv4', ['127.0.0.0/8'])
loopbackOnly.addAddress('::1', 'ipv6')

function createBlockList(family: 'ipv4' | 'ipv6', subnets: readonly string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [address = '', bits] = subnet.split('/')
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

const maxUrlLength = 2048
