import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inflateRawSync } from 'node:zlib'

import { readXlsx } from 'hucre/xlsx'

import type { ExportCell, ExportColumn } from '../app/export-jobs.ts'
import { encodeXlsx, writeExportFile } from './export-file.ts'

const columns: readonly ExportColumn[] = [
  { header: 'Status', kind: 'text' },
  { header: 'Net, so’m', kind: 'som' },
  { header: 'Net, tiyin', kind: 'integer' },
  { header: 'Paid (UTC+5)', kind: 'time' },
]
/** 28 November 2026, 03:04:05 in Tashkent. */
const at = Date.UTC(2026, 10, 27, 22, 4, 5)
const naughty = ['=HYPERLINK("http://x")', '+1', '-1', '@SUM(A1)', '\t=1', '<b>&"\'', 'две\nстроки', '\u0000\u0001\ufffe', '\ud800', '']

test('a CSV file has amounts with a decimal point, times in UTC+5, and texts that are never formulas', async () => {
  const file = await write([
    ['Paid', 5_417_450, 5_417_450, at],
    ['=1+1', -5, -5, null],
  ])
  assert.equal(
    await file.text(),
    '"Status","Net, so’m","Net, tiyin","Paid (UTC+5)"\r\n"Paid","54174.50","5417450","2026-11-28T03:04:05+05:00"\r\n"\'=1+1","-0.05","-5",""\r\n',
  )
  assert.equal(
    Buffer.from(await file.arrayBuffer())
      .subarray(0, 3)
      .toString('hex'),
    'efbbbf',
  )
})

test('a workbook has numbers, times in UTC+5 and texts as they are, and no formula', async () => {
  const rows: ExportCell[][] = naughty.map((text, n) => [text, n === 0 ? 1_000_000_000_000_001 : 5_417_450, 12, at])
  const bytes = await (await write(rows, 'xlsx')).bytes()
  const [sheet] = (await readXlsx(bytes)).sheets
  const [head, ...cells] = sheet?.rows ?? []
  assert.deepEqual(
    head,
    columns.map(({ header }) => header),
  )
  const expected = naughty.map((text) => text.toWellFormed().replace(/[\u0000\u0001\ufffe]/g, '\ufffd'))
  assert.deepEqual(
    cells.map(([text]) => String(text ?? '')),
    expected,
  )
  assert.deepEqual(
    cells.map(([, som]) => som),
    naughty.map((_, n) => (n === 0 ? 10_000_000_000_000.01 : 54_174.5)),
  )
  const seen = cells[0]?.[3]
  assert.ok(seen instanceof Date, String(seen))
  assert.equal(seen.toISOString().slice(0, 19), '2026-11-28T03:04:05')
  const xml = readParts(bytes).get('xl/worksheets/sheet1.xml') ?? ''
  assert.ok(xml.includes('HYPERLINK') && !/<f[ >]/.test(xml))
})

test('a workbook of many rows is written while its rows are read', async () => {
  let read = 0
  let readAtFirst = 0
  let [chunks, largest] = [0, 0]
  async function* many(): AsyncGenerator<ExportCell[]> {
    for (; read < rowsOfLarge; read++) yield [`row ${read}`, read, read, at + read * 1000]
  }
  for await (const chunk of encodeXlsx(columns, many(), 'Many')) {
    if (++chunks === 1) readAtFirst = read
    largest = Math.max(largest, chunk.length)
  }
  assert.equal(read, rowsOfLarge)
  assert.ok(
    readAtFirst < rowsOfLarge / 10 && largest < 1 << 20,
    `${readAtFirst} rows before the first of ${chunks} chunks, the largest of ${largest} bytes`,
  )
})

async function write(rows: readonly ExportCell[][], format: 'csv' | 'xlsx' = 'csv'): Promise<Blob> {
  async function* each() {
    yield* rows
  }
  return writeExportFile({ columns, rows: each() }, format, 'A title: with [signs]')
}

/** The parts of a zip by its central directory, since the entries themselves do not say how long they are. */
function readParts(zip: Uint8Array): Map<string, string> {
  const view = Buffer.from(zip)
  const parts = new Map<string, string>()
  let entry = view.readUInt32LE(view.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1')) + 16)
  while (view.readUInt32LE(entry) === 0x02014b50) {
    const [method, size, nameLength, start] = [
      view.readUInt16LE(entry + 10),
      view.readUInt32LE(entry + 20),
      view.readUInt16LE(entry + 28),
      view.readUInt32LE(entry + 42),
    ]
    const name = view.subarray(entry + 46, entry + 46 + nameLength).toString()
    const data = start + 30 + view.readUInt16LE(start + 26) + view.readUInt16LE(start + 28)
    const bytes = view.subarray(data, data + size)
    parts.set(name, (method === 8 ? inflateRawSync(bytes) : bytes).toString())
    entry += 46 + nameLength + view.readUInt16LE(entry + 30) + view.readUInt16LE(entry + 32)
  }
  return parts
}

const rowsOfLarge = 60_000
