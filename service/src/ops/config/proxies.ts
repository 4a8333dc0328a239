import { BlockList, isIP } from 'node:net'

/** Reads addresses and blocks, `10.0.0.0/8, ::1`, as text with commas or as a JSON array of texts; null when one of them is neither. */
export function readAddresses(given: unknown): readonly string[] | null {
  const texts: unknown = typeof given === 'string' ? given.split(',').map((text) => text.trim()) : given
  if (!Array.isArray(texts) || texts.length === 0 || texts.length > ADDRESSES_MAX) return null
  return texts.every((text) => typeof text === 'string' && readBlock(text) !== null) ? Object.freeze([...(texts as string[])]) : null
}

/** Returns a function that tells whether an address is in a list from `readAddresses`. */
export function makeAddressList(addresses: readonly string[]): (address: string) => boolean {
  // The usual case, and called for every request.
  if (addresses.length === 0) return () => false
  const list = new BlockList()
  for (const text of addresses) {
    const block = readBlock(text)
    if (block !== null) list.addSubnet(block.address, block.bits, block.family)
  }
  return (address) => {
    const version = isIP(address)
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}

interface Block {
  readonly address: string
  readonly bits: number
  readonly family: 'ipv4' | 'ipv6'
}

/** A block of all addresses is refused: any client could then claim any address. */
function readBlock(text: string): Block | null {
  const [, address = '', written] = /^([0-9A-Fa-f:.]+)(?:\/([1-9][0-9]{0,2}))?$/.exec(text) ?? []
  const version = isIP(address)
  if (version === 0) return null
  const longest = version === 4 ? 32 : 128
  const bits = written === undefined ? longest : Number(written)
  return bits > longest ? null : { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' }
}

const ADDRESSES_MAX = 256
