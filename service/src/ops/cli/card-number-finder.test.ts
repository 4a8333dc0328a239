import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { test } from 'node:test'

import { makeCardNumberFinder, type FoundCardNumber } from './card-number-finder.ts'

const number = '8600069195406311'
const masked = '860006******6311'

test('a number is found where it is: as a run, in groups, in full-width digits, with no-break spaces, and in UTF-16 of either order', () => {
  const groups = ['8600', '0691', '9540', '6311']
  const wide = Array.from(number, (digit) => String.fromCharCode(0xff10 + Number(digit))).join('')
  for (const spelling of [number, groups.join(' '), groups.join('-'), groups.join('\u00a0'), groups.join('\u202f'), wide]) {
    for (const encoding of ['utf8', 'utf16le', 'utf16be'] as const) {
      for (const before of ['', 'x', 'card=', 'Карта № ']) {
        const text = encode(`${before}${spelling}; end`, encoding)
        const offset = encode(before, encoding).length + (encoding === 'utf16be' ? 1 : 0)
        assert.deepEqual(find([text]), [{ offset, masked }], `${encoding} ${before}${spelling.length}`)
      }
    }
  }
})

test('a number between bytes that are no text is found, wherever the pieces are cut', () => {
  const [before, after] = [noise(3000), noise(900)]
  const bytes = Buffer.concat([before, Buffer.from('\u0000'), Buffer.from(number), Buffer.from([0xff]), after])
  for (let cut = before.length - 600; cut < before.length + 40; cut++)
    assert.deepEqual(find([bytes.subarray(0, cut), bytes.subarray(cut)]), [{ offset: before.length + 1, masked }], String(cut))
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length;) pieces.push(bytes.subarray(at, (at += randomInt(1, 60))))
  assert.deepEqual(find(pieces), [{ offset: before.length + 1, masked }])
})

test('many numbers are each found once; longer runs, wrong check digits, ids and dates are none', () => {
  const line = `${number},`
  const text = Buffer.from(line.repeat(5000))
  const offsets = find([text.subarray(0, 70_001), text.subarray(70_001)]).map(({ offset }) => offset)
  assert.deepEqual(
    offsets,
    Array.from({ length: 5000 }, (_, i) => i * line.length),
  )
  const none = [
    `1${number}`,
    `${number}1`,
    number.replace(/1$/, '2'),
    `65f0c0ff${number}`,
    '2026-11-28 07:30 998901234567',
    '9'.repeat(5000),
  ]
  for (const each of none) assert.deepEqual(find([Buffer.from(` ${each} `)]), [], each)
  // The end of a run that is longer than what is remembered is not taken for a number.
  const long = Buffer.from(`${'0'.repeat(4000)}${number}`)
  assert.deepEqual(find([long.subarray(0, 1000), long.subarray(1000)]), [])
})

function find(pieces: readonly Uint8Array[]): FoundCardNumber[] {
  const finder = makeCardNumberFinder()
  return [...pieces.flatMap((piece) => finder.push(piece)), ...finder.end()]
}

function encode(text: string, encoding: 'utf8' | 'utf16le' | 'utf16be'): Buffer {
  return encoding === 'utf16be' ? Buffer.from(text, 'utf16le').swap16() : Buffer.from(text, encoding)
}

/** Without digits, so that no number is in it by chance. */
function noise(length: number): Buffer {
  return randomBytes(length).map((byte) => (byte >= 0x10 && byte <= 0x39 ? byte + 0x80 : byte)) as Buffer
}
