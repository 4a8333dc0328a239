import { BlockList, isIP } from 'node:net'

/** An address as a resolver tells it. */
export interface Address {
  readonly address: string
  readonly family: number
}

/** Tells every address of a name; an address is its own. */
export type Resolve = (host: string) => Promise<readonly Address[]>

/** Where deliveries may go. */
export interface Guard {
  /** Reads a URL as an endpoint's; a sentence when it cannot be one. Names are looked up when there is something to deliver, not here. */
  readUrl(text: string): URL | string
  /** The one address to connect to; null when any address of the name is one that we deliver nothing to. */
  choose(url: URL): Promise<Address | null>
}

export interface GuardParts {
  readonly resolve: Resolve
  /** Whether this machine itself may be reached, and by plain http. For the test environment. */
  readonly loopback: boolean
}

/**
 * Keeps deliveries off everything that is not the public internet: one lookup, every address of it judged, and the caller connects to the very
 * address that was judged, so that a name that changes its answer gains nothing (security.md 33).
 */
export function makeGuard({ resolve, loopback }: GuardParts): Guard {
  return Object.freeze({ readUrl: (text: string) => readUrl(text, loopback), choose })

  async function choose(url: URL): Promise<Address | null> {
    const found = await resolve(hostOf(url))
    if (loopback && found.length > 0 && found.every(isLoopback)) return found[0] ?? null
    // Plain http is for this machine, whatever the name came to since it was read.
    return url.protocol === 'https:' && found.every(isPublic) ? (found[0] ?? null) : null
  }
}

/** A host as a resolver takes it: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/** Whether an address is of the public internet. What is not known to be is not. */
export function isPublic({ address, family }: Address): boolean {
  if (isIP(address) === 0) return false
  return family === 6 ? globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6') : !specialV4.check(address, 'ipv4')
}

/** Whether a URL names this machine itself. */
export function isHere(url: URL): boolean {
  const address = { address: hostOf(url), family: isIP(hostOf(url)) }
  return address.family === 0 ? url.hostname === 'localhost' : isLoopback(address)
}

function isLoopback({ address, family }: Address): boolean {
  return isIP(address) !== 0 && loopbackOnly.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

function readUrl(text: string, loopback: boolean): URL | string {
  const url = text.length <= urlLengthMax ? URL.parse(text) : null
  if (url === null) return `A URL of at most ${String(urlLengthMax)} characters was expected.`
  if (url.username !== '' || url.password !== '') return 'A URL with a name or password in it would be told to whoever sees it.'
  if (url.hash !== '') return 'A URL with a fragment (#…) cannot be called.'
  const address = { address: hostOf(url), family: isIP(hostOf(url)) }
  if (loopback && isHere(url) && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  if (url.protocol !== 'https:') return loopback ? 'https:// was expected, or http:// to this machine.' : 'https:// was expected.'
  if (address.family !== 0 && !isPublic(address)) return 'This address is not of the public internet.'
  return url
}

/** IANA IPv4 Special-Purpose Address Registry (RFC 6890), multicast, and the addresses at which clouds tell secrets. */
const specialV4 = listOf('ipv4', [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24'],
  ...['192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
])
/** All of IPv6 that is global unicast today (RFC 4291 §2.4): v4-mapped, NAT64, link-local, unique local, multicast lie outside. */
const globalV6 = listOf('ipv6', ['2000::/3'])
/** IANA IPv6 Special-Purpose Address Registry: Teredo and its neighbours, documentation, 6to4, AS112, documentation again. */
const specialV6 = listOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'])
const loopbackOnly = listOf('ipv4', ['127.0.0.0/8'])
loopbackOnly.addAddress('::1', 'ipv6')

function listOf(family: 'ipv4' | 'ipv6', subnets: readonly string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [address = '', bits] = subnet.split('/')
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

const urlLengthMax = 2048
