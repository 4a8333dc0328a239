import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { formatCsvRow, parseCsv } from './csv.ts'

test('quotes, commas and line ends in cells, either line end, a byte order mark and empty lines are read', () => {
  assert.deepEqual(parseCsv('\ufeffname,origins\r\n"A ""B"", C","x\ny"\r\n\r\nD,\n'), [
    ['name', 'origins'],
    ['A "B", C', 'x\ny'],
    ['D', ''],
  ])
  assert.deepEqual(parseCsv('a,b'), [['a', 'b']])
  assert.deepEqual(parseCsv('a,'), [['a', '']])
  assert.deepEqual(parseCsv(''), [])
})

test('a quote that is not closed, or stands within a cell, is no CSV', () => {
  for (const text of ['"a', 'a"b', '"a"b', 'a\n"b,c']) assert.equal(parseCsv(text), null, text)
})

test('what is written is read back', () => {
  const cell = fc.string().filter((text) => !text.startsWith('\ufeff'))
  const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }).filter((row) => row.some((each) => each.trim() !== '')))
  fc.assert(
    fc.property(rows, (table) => assert.deepEqual(parseCsv(table.map(formatCsvRow).join('')), table)),
    { seed: 15, numRuns: 300 },
  )
})
