import { createHash } from 'node:crypto'

/** How a text carries a card number that was typed; null when it does not. */
export type FindTrace = (text: string) => 'digits' | 'reversed' | 'base64' | 'hex' | 'hash' | null

/**
 * Looks for a number that was typed. Nine of its digits in a row are a trace, whatever signs part them: the first eight and the last four
 * may be told (PCI DSS 4.0.1, 3.4.1). Also found: the number backwards, in base64 and hex, and its bare hashes, by which it can be counted out.
 */
export function makeFindTrace(pan: string): FindTrace {
  const windows = cut(pan)
  const backwards = cut(Array.from(pan).reverse().join(''))
  const hashes = ['md5', 'sha1', 'sha256', 'sha512'].flatMap((name) => {
    const digest = createHash(name).update(pan).digest()
    return [digest.toString('hex'), digest.toString('base64').replace(/=+$/, ''), digest.toString('base64url')]
  })
  const holds = (text: string, parts: readonly string[]): boolean => parts.some((part) => text.includes(part))
  return (text) => {
    const bounded = text.slice(0, TEXT_MAX)
    const plain = squeeze(bounded)
    if (holds(plain, windows)) return 'digits'
    if (holds(plain, backwards)) return 'reversed'
    if (hashes.some((hash) => bounded.includes(hash) || bounded.includes(hash.toUpperCase()))) return 'hash'
    for (const [word] of bounded.matchAll(/[A-Za-z0-9+/_-]{12,4096}/g)) {
      // A word may begin in the midst of a longer one: base64 reads in fours.
      if ([0, 1, 2, 3].some((skip) => holds(squeeze(Buffer.from(word.slice(skip), 'base64').toString('latin1')), windows))) return 'base64'
      if (
        /^[0-9a-f]+$/i.test(word) &&
        [0, 1].some((skip) => holds(squeeze(Buffer.from(word.slice(skip), 'hex').toString('latin1')), windows))
      )
        return 'hex'
    }
    return null
  }
}

function cut(digits: string): string[] {
  return Array.from({ length: digits.length - WINDOW + 1 }, (_, start) => digits.slice(start, start + WINDOW))
}

/** Without what parts digits in texts, addresses and JSON. */
function squeeze(text: string): string {
  return text.replace(/%20|%2D|%2E|[\s.,+_"'[\]-]/gi, '')
}

const WINDOW = 9
const TEXT_MAX = 2_000_000
