import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'

import { createTraceFinder, findSplitTrace } from './card-traces.ts'

const pan = '8600069195406311'
const findTrace = createTraceFinder(pan)

test('a card number is found in every encoding that a text may carry it in', () => {
  const cases: [text: string, encoding: string][] = [
    [pan, 'digits'],
    ['8600 0691 9540 6311', 'digits'],
    ['card=8600%200691%209540%206311&x', 'digits'],
    ['["8","6","0","0","0","6","9","1","9","5","4","0"]', 'digits'],
    ['006919540', 'digits'],
    [Array.from(pan).reverse().join(''), 'reversed'],
    [`{"p":"${btoa(pan)}"}`, 'base64'],
    [`prefix${btoa(`x=${pan}`)}`, 'base64'],
    [btoa(`${Array.from(pan).reverse().join('')};0399`), 'base64'],
    [Buffer.from(pan).toString('hex'), 'hex'],
    [JSON.stringify([...Buffer.from(pan)]), 'character codes'],
    [createHash('sha256').update(pan).digest('hex'), 'hash'],
    [createHash('md5').update(pan).digest('base64'), 'hash'],
  ]
  for (const [text, encoding] of cases) assert.equal(findTrace(text), encoding, text)
})

test('a masked number, the first eight with the last four digits, and unrelated numbers are not a trace', () => {
  for (const text of ['860006******6311', '8600***6311', '86000691 6311', '1763712345678', '998901234566', 'a'.repeat(100_000), ''])
    assert.equal(findTrace(text), null, text.slice(0, 20))
})

test('a number sent in parts is found, also reversed and in base64', () => {
  const groups = ['8600', '0691', '9540', '6311']
  const reversed = groups.toReversed().map((group) => Array.from(group).reverse().join(''))
  const digits = Array.from(pan)
  for (const texts of [groups, reversed, groups.map((group) => `p=${btoa(group)}`), digits.map((digit) => `key${digit} `)])
    assert.ok(findSplitTrace(pan, texts), texts.join(' '))
  for (const texts of [groups.slice(0, 3), [groups.join(' ')], ['8600', '1234', '9540', '6311'], ['order 17', 'order 18']])
    assert.ok(!findSplitTrace(pan, texts), texts.join(' '))
})
