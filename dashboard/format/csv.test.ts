import assert from 'node:assert/strict'
import { test } from 'node:test'

import { formatCsv, saveBlob } from './csv.ts'

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

test('a file that is saved can be read for a minute, and is given back then', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const revoked = t.mock.method(URL, 'revokeObjectURL', () => undefined)
  const link = { click: t.mock.fn() }
  Object.assign(globalThis, { document: { createElement: () => link } })
  try {
    saveBlob('a.csv', new Blob(['a']))
  } finally {
    Reflect.deleteProperty(globalThis, 'document')
  }
  assert.equal(link.click.mock.callCount(), 1)
  t.mock.timers.tick(59_999)
  assert.equal(revoked.mock.callCount(), 0)
  t.mock.timers.tick(1)
  assert.equal(revoked.mock.callCount(), 1)
})
