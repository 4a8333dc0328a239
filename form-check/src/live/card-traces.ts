import { createHash } from 'node:crypto'

/** Tells in which form a text contains the card number; null when it does not. */
export type TraceFinder = (text: string) => 'digits' | 'reversed' | 'base64' | 'hex' | 'character codes' | 'hash' | null

/**
 * Searches texts for a card number that was typed. Nine consecutive digits count, whatever separates them: the first eight and the last
 * four may be shown (PCI DSS 4.0.1, 3.4.1). Also found: the number reversed, in base64, in hex or in character codes, these also of the
 * reversed number, and its unsalted hashes, from which the number can be recovered by trying all numbers.
 */
export function createTraceFinder(pan: string): TraceFinder {
  const windows = digitWindows(pan)
  const reversedWindows = digitWindows(Array.from(pan).reverse().join(''))
  const hashes = ['md5', 'sha1', 'sha256', 'sha512'].flatMap((algorithm) => {
    const digest = createHash(algorithm).update(pan).digest()
    return [digest.toString('hex'), digest.toString('base64').replace(/=+$/, ''), digest.toString('base64url')]
  })
  const includesAny = (text: string, parts: readonly string[]): boolean => parts.some((part) => text.includes(part))
  const bothWays = [...windows, ...reversedWindows]
  const includesDecoded = (word: string, encoding: 'base64' | 'hex', offsets: readonly number[]): boolean =>
    offsets.some((offset) => includesAny(removeSeparators(Buffer.from(word.slice(offset), encoding).toString('latin1')), bothWays))
  return (text) => {
    const searched = text.slice(0, maxTextLength)
    const digits = removeSeparators(searched)
    if (includesAny(digits, windows)) return 'digits'
    if (includesAny(digits, reversedWindows)) return 'reversed'
    if (hashes.some((hash) => searched.includes(hash) || searched.includes(hash.toUpperCase()))) return 'hash'
    for (const [word] of searched.matchAll(/[A-Za-z0-9+/_-]{12,4096}/g)) {
      // The encoded number may start inside a longer word. Base64 decodes groups of four characters, hex groups of two.
      if (includesDecoded(word, 'base64', [0, 1, 2, 3])) return 'base64'
      if (/^[0-9a-f]+$/i.test(word) && includesDecoded(word, 'hex', [0, 1])) return 'hex'
    }
    for (const [codes] of searched.matchAll(/\b(?:4[89]|5[0-7])(?:[^\d\w]{1,3}(?:4[89]|5[0-7])){8,}\b/g))
      if (includesAny(String.fromCharCode(...(codes.match(/\d+/g) ?? []).map(Number)), bothWays)) return 'character codes'
    return null
  }
}

/**
 * Whether texts that each say too little contain the number together: its groups of four in different requests, or one digit in each. Texts
 * are those sent to one place, in order.
 */
export function findSplitTrace(pan: string, texts: readonly string[]): boolean {
  const runs = texts.map((text) => [...(text.match(/(?<!\d)\d{1,8}(?!\d)/g) ?? []), ...decodedNumbers(text)])
  const reversed = Array.from(pan).reverse().join('')
  const isInGroups = (whole: string): boolean => {
    const groups = Array.from({ length: whole.length / 4 }, (_, index) => whole.slice(index * 4, index * 4 + 4))
    const carriers = groups.map((group) =>
      runs.findIndex((numbers) =>
        numbers.some((number) => number === group || (number.length > 4 && whole.includes(number) && number.includes(group))),
      ),
    )
    return carriers.every((index) => index >= 0) && new Set(carriers).size > 1
  }
  if (isInGroups(pan) || isInGroups(reversed)) return true
  const windows = [...digitWindows(pan), ...digitWindows(reversed)]
  const columns = Math.min(maxColumns, Math.max(0, ...runs.map((numbers) => numbers.length)))
  return Array.from({ length: columns }, (_, column) =>
    runs.map((numbers) => (numbers[column]?.length === 1 ? numbers[column] : '')).join(''),
  ).some((digits) => windows.some((window) => digits.includes(window)))
}

/** Short numbers in base64: a group of four digits has eight characters. */
function decodedNumbers(text: string): string[] {
  return [...text.matchAll(/(?<![\w+/-])[A-Za-z0-9+/_-]{6,11}={0,2}(?![\w+/=-])/g)]
    .map(([word]) => Buffer.from(word, 'base64').toString('latin1'))
    .filter((decoded) => /^\d{4,8}$/.test(decoded))
}

function digitWindows(digits: string): string[] {
  return Array.from({ length: digits.length - windowLength + 1 }, (_, start) => digits.slice(start, start + windowLength))
}

/** Removes what separates digits in texts, addresses and JSON. */
function removeSeparators(text: string): string {
  return text.replace(/%20|%2D|%2E|[\s.,+_"'[\]-]/gi, '')
}

const windowLength = 9
const maxColumns = 20
const maxTextLength = 2_000_000
