import assert from 'node:assert/strict'
import { test } from 'node:test'

import { writeCsv } from './download.ts'

test('a cell of an export is no formula, however it begins, and keeps its commas, quotes and lines', () => {
  const csv = writeCsv(
    ['a', 'b'],
    [
      ['=1+1', -5],
      ['+x', null],
      ['@SUM(1)', 'say "hi", you'],
      ['\tx', 'two\nlines'],
      ['-1', ''],
    ],
  )
  assert.equal(csv, '\uFEFF"a","b"\r\n"\'=1+1","-5"\r\n"\'+x",""\r\n"\'@SUM(1)","say ""hi"", you"\r\n"\'\tx","two\nlines"\r\n"\'-1",""\r\n')
})
