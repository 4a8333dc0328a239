import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import {
  cardNumberDetector,
  holdsCardNumber,
  makeCardNumberDetector,
  referencePrefixDigits,
  type CardNumberDetector,
} from './card-number-detector.ts'
import { hasValidCheckDigit } from './check-digit.ts'

/** The first card of the test environment: public. */
const testPan = '8600069195406311'
const orderNumber = `${testPan.slice(0, 15)}2`
const separators = [' ', '-', '.', '\u00a0', '\u202f', '\u2007', '\u2009', '\u2010', '\u2011', '\u2013', '\u3000']

test('a card number is found in a text, whole or in groups with any single separator', () => {
  const found = [
    testPan,
    `card ${testPan}.`,
    `a${testPan}b`,
    ...separators.map((separator) => inGroups(testPan, [4, 4, 4, 4], separator)),
    inGroups(testPan, [6, 10], ' '),
    inGroups(testPan, [8, 8], '-'),
    '8600 0691-9540.6311',
    `${inGroups(testPan, [4, 4, 4, 4], ' ')} 12/99`,
    `2026 1111 ${inGroups(testPan, [4, 4, 4, 4], '-')}`,
    `"${testPan}"`,
    `ключ ${testPan}`,
    fullWidth(testPan),
    fullWidth(inGroups(testPan, [4, 4, 4, 4], '\u3000')),
    `8600${fullWidth('069195406311')}`,
  ]
  for (const text of found) assert.equal(inText(text), true, text)
})

test('the networks are known by prefix and length, also those that cards.create does not route', () => {
  const prefixes = ['8600', '5614', '9860', '2200', '2204', '4', '51', '55', '2221', '2720', '62']
  for (const prefix of prefixes) assert.equal(inText(makeNumber(prefix, 16)), true, prefix)
  for (const prefix of ['34', '37']) {
    assert.equal(inText(makeNumber(prefix, 15)), true, prefix)
    assert.equal(inText(inGroups(makeNumber(prefix, 15), [4, 6, 5], ' ')), true, prefix)
    assert.equal(inText(makeNumber(prefix, 16)), false, `${prefix}, 16 digits`)
  }
  for (const prefix of prefixes) assert.equal(inText(makeNumber(prefix, 15)), false, `${prefix}, 15 digits`)
  for (const prefix of ['1234', '7777', '2205', '2199', '2721', '50', '56', '61', '63', '35', '36'])
    assert.equal(inText(makeNumber(prefix, 16)), false, prefix)
})

test('a long number that is not a card number is accepted', () => {
  const passed = [
    orderNumber,
    `1${testPan}`,
    `${testPan}1`,
    testPan.slice(1),
    inGroups(testPan, [4, 4, 4, 4], '  '),
    inGroups(testPan, [4, 4, 4, 4], ' - '),
    inGroups(testPan, [4, 4, 4, 4], '/'),
    inGroups(testPan, [4, 4, 4, 4], '\n'),
    `${inGroups(testPan, [4, 4, 4, 4], ' ')}1`,
    `1${inGroups(testPan, [4, 4, 4, 4], ' ')}`,
    '',
    '0000000000000000',
    '٨٦٠٠٠٦٩١٩٥٤٠٦٣١١',
  ]
  for (const text of passed) assert.equal(inText(text), false, text)
})

test('dates, times, phones and amounts in small groups are not card numbers', () => {
  const days = Array.from({ length: 366 }, (_, i) => new Date(Date.UTC(2028, 0, 1 + i)).toISOString())
  for (const from of days) {
    const [year, month, day] = from.slice(0, 10).split('-') as [string, string, string]
    for (const text of [
      `${day}.${month}.${year}-${day}.${month}.${year}`,
      `${day}.${month}.${year} 10.35.26`,
      from,
      from.replace('T', ' '),
    ])
      assert.equal(inText(text), false, text)
  }
  for (const text of ['998 90 123 45 67 90 123', '5 200 000 000 000 000', '192.168.100.200 10.0.0.12'])
    assert.equal(inText(text), false, text)
})

test('prefixes of adapters are added to the table, if they have at least four digits', () => {
  const own = makeCardNumberDetector([
    { prefix: '333333', network: 'test', type: '1' },
    { prefix: '77', network: 'test', type: '1' },
  ])
  assert.equal(own.inText('3333336415804657'), true)
  assert.equal(inText('3333336415804657'), false)
  assert.equal(own.inText(makeNumber('77', 16)), false)
})

test('a reference is judged by prefixes of at least four digits alone', () => {
  const isReferenceRefused = (text: string): boolean => inBytes(cardNumberDetector, text, referencePrefixDigits)
  for (const prefix of ['8600', '5614', '9860', '2200', '2720']) assert.equal(isReferenceRefused(makeNumber(prefix, 16)), true, prefix)
  for (const prefix of ['4', '51', '62']) assert.equal(isReferenceRefused(makeNumber(prefix, 16)), false, prefix)
  assert.equal(isReferenceRefused(makeNumber('34', 15)), false)
})

test('about two in a hundred random order numbers look like a card number, and one in two hundred of kind reference', () => {
  let all = 0
  let references = 0
  const count = 50_000
  const random = seededRandom(12)
  const eightDigits = (): string => String(Math.floor(random() * 100_000_000)).padStart(8, '0')
  for (let i = 0; i < count; i++) {
    const number = eightDigits() + eightDigits()
    if (inText(number)) all++
    if (inBytes(cardNumberDetector, number, referencePrefixDigits)) references++
  }
  assert.ok(all / count > 0.01 && all / count < 0.04, String(all / count))
  assert.ok(references / count < 0.008, String(references / count))
})

test('a number is a card number by its digits or by its value', () => {
  for (const number of [
    testPan,
    `-${testPan}`,
    `${testPan}.0`,
    `${testPan}e0`,
    `${testPan}E5`,
    `${testPan.slice(0, 15)}.${testPan.slice(15)}e1`,
    `${testPan[0] ?? ''}.${testPan.slice(1)}e15`,
    `${testPan}e-99`,
    `0.000${testPan}e19`,
    `${testPan}000e-3`,
    `${testPan}5e-1`,
    `3.7${makeNumber('37', 15).slice(2)}e14`,
  ])
    assert.equal(inNumber(number), true, number)
})

test('a number of another length is not a card number, however it is written', () => {
  for (const number of [
    '0',
    '1e400',
    '1e-400',
    '8.6e14',
    '123456',
    '100000.0',
    '86000691.95406311',
    orderNumber,
    `${orderNumber}e0`,
    `1e${'9'.repeat(400)}`,
    '0e16',
  ])
    assert.equal(inNumber(number), false, number)
})

test('the ranges of card numbers in a text count its own characters', () => {
  const grouped = inGroups(testPan, [4, 4, 4, 4], '\u00a0')
  const text = `ёлка ${grouped}, 😀 ${testPan}; ${orderNumber}`
  assert.deepEqual(
    cardNumberDetector.rangesIn(text).map(({ from, to }) => text.slice(from, to)),
    [grouped, testPan],
  )
})

test('a text and its UTF-8 bytes get the same result', () => {
  const piece = fc.oneof(
    fc.constantFrom('8600', '0691', '9540', '6311', '4444', '0000', '12', '３７８２', 'я', '😀', '"', ...separators),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      assert.equal(inBytes(cardNumberDetector, text), cardNumberDetector.inText(text))
      assert.equal(cardNumberDetector.rangesIn(text).length > 0, cardNumberDetector.inText(text))
    }),
    { numRuns: 2000 },
  )
})

test('a card number is found in any text, number or name inside a value, but not in an issued id', () => {
  const id = `a${testPan}abcdef0`
  for (const value of [testPan, Number(testPan), { a: [{ b: `x ${testPan}` }] }, { [testPan]: 1 }, `${id} ${testPan}`])
    assert.equal(holdsCardNumber(value), true, JSON.stringify(value))
  for (const value of [null, true, 1, 'x', { cardId: id, token: `${id}_${'a'.repeat(43)}`, after: `1763700000000.${id}` }, [orderNumber]])
    assert.equal(holdsCardNumber(value), false, JSON.stringify(value))
})

test('a text longer than the scratch buffer is searched to its end', () => {
  assert.equal(inText(`${'x'.repeat(70_000)}${testPan}`), true)
  assert.equal(inText(testPan), true)
})

/** A text as string and as bytes inside other digits that do not belong to it. */
function inText(text: string): boolean {
  const found = inBytes(cardNumberDetector, text)
  assert.equal(cardNumberDetector.inText(text), found, text)
  return found
}

function inBytes(detector: CardNumberDetector, text: string, prefixDigitsMin?: number): boolean {
  const bytes = Buffer.from(`#1${text}1#`)
  return detector.inBytes(bytes, 2, bytes.length - 2, prefixDigitsMin)
}

function inNumber(text: string): boolean {
  const bytes = Buffer.from(`[${text}]`)
  return cardNumberDetector.inNumber(bytes, 1, bytes.length - 1)
}

function inGroups(digits: string, sizes: readonly number[], separator: string): string {
  let at = 0
  return sizes.map((size) => digits.slice(at, (at += size))).join(separator)
}

function fullWidth(text: string): string {
  return text.replace(/[0-9]/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))
}

/** Mulberry32: the same numbers in [0, 1) for the same seed. */
function seededRandom(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A number of this length under a prefix, with a valid check digit; eight zeros in a row show that it is made up. */
function makeNumber(prefix: string, length: number): string {
  const head = prefix.padEnd(length - 1, '0')
  const check = Array.from('0123456789').find((digit) => hasValidCheckDigit(Buffer.from(`${head}${digit}`)))
  return `${head}${check ?? ''}`
}
