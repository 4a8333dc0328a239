import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'

import { digitAlphabet, isVerificationCode, letterAlphabet, type CodeFormat } from '@tessera/contract/verification-code'

import { drawnCodes } from './codes.ts'

const formats: Record<string, CodeFormat> = {
  'six digits': { length: 6, alphabet: digitAlphabet },
  'eight letters and digits': { length: 8, alphabet: letterAlphabet },
  'five hexadecimal characters': { length: 5, alphabet: '0123456789ABCDEF' },
}

test('each character of a code is drawn by one random number below the size of the alphabet', () => {
  const given = [0, 0, 0, 0, 4, 2]
  const codes = drawnCodes((bound) => {
    assert.equal(bound, 10)
    return given.shift() ?? assert.fail('drawn too often')
  })
  assert.equal(codes.draw({ length: 6, alphabet: digitAlphabet }), '000042')
})

test('a code without a letter is drawn again where codes have letters', () => {
  const given = [0, 1, 2, 3, 4, 0, 1, 2, 3, 8]
  const codes = drawnCodes(() => given.shift() ?? assert.fail('drawn too often'))
  assert.equal(codes.draw({ length: 5, alphabet: letterAlphabet }), '2345B')
})

for (const [name, format] of Object.entries(formats)) {
  test(`each character is about equally frequent at each position of random codes: ${name}`, () => {
    const codes = drawnCodes((bound) => randomInt(bound))
    const { length, alphabet } = format
    const draws = 20_000
    const counts = Array.from({ length }, () => new Map<string, number>())
    for (let i = 0; i < draws; i++) {
      const code = codes.draw(format)
      assert.ok(isVerificationCode(code, format), code)
      for (const [position, character] of Array.from(code).entries())
        counts[position]!.set(character, (counts[position]!.get(character) ?? 0) + 1)
    }
    // A code without a letter is not drawn, so digits are a little rarer.
    const digits = Array.from(alphabet).filter((character) => /[0-9]/.test(character)).length
    const withoutLetter = digits === alphabet.length ? 0 : digits / alphabet.length
    const expected = (character: string): number => {
      const kept = /[0-9]/.test(character) ? 1 - withoutLetter ** (length - 1) : 1
      return ((draws / alphabet.length) * kept) / (1 - withoutLetter ** length)
    }
    for (const position of counts) {
      const squares = Array.from(alphabet, (character) => ((position.get(character) ?? 0) - expected(character)) ** 2 / expected(character))
      const sum = squares.reduce((total, square) => total + square, 0)
      // Chi-squared: the mean is the number of degrees of freedom, and seven deviations above it are exceeded less than once in a million.
      const degrees = alphabet.length - 1
      assert.ok(sum < degrees + 7 * Math.sqrt(2 * degrees), `${name}: ${sum.toFixed(1)}`)
    }
  })
}
