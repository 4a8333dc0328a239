import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { ExitError } from '../exits.ts'

import { readNetworkFileColumns } from './network-file-columns.ts'
import { readNetworkFile, type NetworkFileLine } from './network-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'tessera-network-file-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const from = Date.parse('2026-01-31T00:00:00+05:00')
const day = { from, to: from + 24 * 3_600_000, offset: '+05:00' }

async function read(content: string | Uint8Array, columns = '', kinds = '') {
  const path = join(folder, 'day.csv')
  writeFileSync(path, content)
  const lines: NetworkFileLine[] = []
  const keyColumn = await readNetworkFile(path, { columns: readNetworkFileColumns(columns, kinds), day }, (line) => lines.push(line))
  return { keyColumn, lines }
}

const expected = { line: 2, key: '118822', kind: 'debit', amountTiyin: 500_000 }

test('a file is read by the default columns, or by those that are declared on the command line or in a JSON file', async () => {
  const plain = await read('\ufeffreference,amount,kind,time,branch\r\n118822,500000,Debit,2026-01-31 09:00:00,"A, B"\r\n\r\n')
  assert.deepEqual(plain, { keyColumn: 'reference', lines: [expected] })
  const text = 'AMT,RRN,OP\n500000,118822,D'
  assert.deepEqual((await read(text, 'reference=RRN,amount=AMT,kind=OP', 'D=debit')).lines, [expected])
  const declaration = join(folder, 'columns.json')
  writeFileSync(declaration, JSON.stringify({ columns: { reference: 'RRN', amount: 'AMT', kind: 'OP' }, kinds: { D: 'debit' } }))
  assert.deepEqual((await read(text, declaration)).lines, [expected])
  const traced = await read('trace,amount,kind\n11,500000,debit\n')
  assert.deepEqual([traced.keyColumn, traced.lines[0]?.key], ['trace', '000011'])
})

test('a file longer than a chunk of the stream is read as a whole, characters of several bytes included', async () => {
  const rows = Array.from({ length: 20_000 }, (_, i) => `R${String(i)},${String(i)},debit,Тошкент\n`)
  const { lines } = await read(`reference,amount,kind,city\n${rows.join('')}`)
  assert.deepEqual([lines.length, lines.at(-1)], [20_000, { line: 20_001, key: 'R19999', kind: 'debit', amountTiyin: 19_999 }])
})

const heading = 'reference,amount,kind,time\n'
const good = 'R1,500000,debit,2026-01-31T09:00:00\n'
const pan = '8600069195406311'

test('a malformed file is refused with its line and the reason, and nothing of its cells is repeated', async () => {
  const files: [content: string | Uint8Array, message: RegExp][] = [
    ['', /it is empty|is empty: it has no heading/],
    ['amount,kind\n', /Line 1: it has no column reference, trace or request/],
    ['reference,kind\n', /Line 1: it has no column amount/],
    ['reference,amount,kind,amount\n', /Line 1: the column amount is there twice/],
    [`${heading}${good}R2,500000,debit\n`, /Line 3: it has 3 cells, and the heading has 4/],
    [`${heading}${good}"R2,500000,debit,2026-01-31T09:00:00\n`, /Line 3: it is not CSV/],
    [`${heading},500000,debit,2026-01-31T09:00:00\n`, /Line 2: reference must be/],
    [`${heading}R2,5000.00,debit,2026-01-31T09:00:00\n`, /Line 2: amount must be a whole number of tiyin/],
    [`${heading}R2,-1,debit,2026-01-31T09:00:00\n`, /Line 2: amount must be/],
    [`${heading}R2,1,secretword,2026-01-31T09:00:00\n`, /Line 2: kind must be one of debit, reversal/],
    [`${heading}R2,1,debit,31.01.2026\n`, /Line 2: time must be/],
    [`${heading}R2,1,debit,2026-02-05T09:00:00\n`, /Line 2: time is more than a day from --date/],
    [`${heading}${good}${pan},500000,debit,2026-01-31T09:00:00\n`, /Line 3: cell 1 contains a card number/],
    [`card,${heading}"8600 0691 9540 6311",R1,1,debit,2026-01-31T09:00:00\n`, /Line 2: cell 1 contains a card number/],
    [`${pan},${heading}`, /Line 1: cell 1 contains a card number/],
    [Buffer.concat([Buffer.from(heading), Buffer.from([0xff, 0x0a])]), /is not UTF-8/],
    [`${heading}${'x'.repeat(200_000)}`, /Line 2: a line has at most/],
  ]
  for (const [content, message] of files) {
    await assert.rejects(read(content), (err) => {
      assert.ok(err instanceof ExitError && err.exit === 'damaged', String(err))
      assert.match(err.message, message)
      assert.doesNotMatch(err.message, /6311|secretword/)
      return true
    })
  }
})

test('a declaration that names what there is not is refused as usage', async () => {
  const declarations: [columns: string, kinds: string, message: RegExp][] = [
    ['rrn=RRN', '', /There is no column rrn; there are reference/],
    ['reference', '', /must be pairs/],
    ['', 'D=debt', /There is no kind debt/],
    [join(folder, 'none.json'), '', /cannot be read \(ENOENT\)/],
  ]
  for (const [columns, kinds, message] of declarations) {
    await assert.rejects(read('', columns, kinds), (err) => err instanceof ExitError && err.exit === 'usage' && message.test(err.message))
  }
})
