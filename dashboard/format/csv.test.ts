import assert from 'node:assert/strict'
import { test } from 'node:test'

import { formatCsv } from './csv.ts'

test('a cell of a CSV export is never run as a formula, and keeps its commas, quotes and line breaks', () => {
  const csv = formatCsv(
    ['a', 'b'],
    [
      ['=1+1', -5],
      ['+x', null],
      ['@SUM(1)', 'say "hi", you'],
      ['\tx', 'two\nlines'],
      ['-1', ''],
      ['＝1+1', ' =1'],
    ],
  )
  assert.equal(
    csv,
    '\uFEFF"a","b"\r\n"\'=1+1","-5"\r\n"\'+x",""\r\n"\'@SUM(1)","say ""hi"", you"\r\n"\'\tx","two\nlines"\r\n"\'-1",""\r\n"\'＝1+1"," =1"\r\n',
  )
})
