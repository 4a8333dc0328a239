import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'

import { makeFindTrace } from './traces.ts'

const pan = '8600069195406311'
const trace = makeFindTrace(pan)

test('a typed card is found however a text carries it', () => {
  const carried: [text: string, as: string][] = [
    [pan, 'digits'],
    ['8600 0691 9540 6311', 'digits'],
    ['card=8600%200691%209540%206311&x', 'digits'],
    ['["8","6","0","0","0","6","9","1","9","5","4","0"]', 'digits'],
    ['006919540', 'digits'],
    [Array.from(pan).reverse().join(''), 'reversed'],
    [`{"p":"${btoa(pan)}"}`, 'base64'],
    [`prefix${btoa(`x=${pan}`)}`, 'base64'],
    [Buffer.from(pan).toString('hex'), 'hex'],
    [createHash('sha256').update(pan).digest('hex'), 'hash'],
    [createHash('md5').update(pan).digest('base64'), 'hash'],
  ]
  for (const [text, as] of carried) assert.equal(trace(text), as, text)
})

test('a mask, the first eight digits with the last four, and other numbers are no trace', () => {
  for (const text of ['860006******6311', '8600***6311', '86000691 6311', '1763712345678', '998901234566', 'a'.repeat(100_000), ''])
    assert.equal(trace(text), null, text.slice(0, 20))
})
