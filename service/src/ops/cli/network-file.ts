import { createReadStream } from 'node:fs'

import { holdsCardNumber } from '@tessera/contract/card-number-detector'

import { ExitError } from '../exits.ts'

import { parseCsv } from './csv.ts'
import {
  findColumns,
  type ColumnPositions,
  type LineKeyColumn,
  type NetworkFileColumns,
  type NetworkLineKind,
} from './network-file-columns.ts'

/** One line of a network's daily file. */
export interface NetworkFileLine {
  readonly line: number
  readonly key: string
  readonly kind: NetworkLineKind
  readonly amountTiyin: number
}

/** The day that a file is of. */
export interface NetworkFileDay {
  /** Unix milliseconds. */
  readonly from: number
  readonly to: number
  /** Of the network's clock, for times without a zone: `+05:00`. */
  readonly offset: string
}

export interface NetworkFileQuery {
  readonly columns: NetworkFileColumns
  readonly day: NetworkFileDay
}

/**
 * Reads a daily file as a stream and passes each line to `add`. Returns the column that tells which operation a line is of. Throws `ExitError` with the line
 * and the reason at the first fault; no message has anything of the file but our names of its columns, since a faulty cell may be a card number.
 */
export async function readNetworkFile(path: string, query: NetworkFileQuery, add: (line: NetworkFileLine) => void): Promise<LineKeyColumn> {
  let heading: readonly string[] = []
  let positions: ColumnPositions | null = null
  let line = 0
  let lines = 0
  for await (const text of readLines(path)) {
    line++
    if (text.trim() === '') continue
    const cells = parseLine(path, line, text)
    if (positions === null) {
      const found = findColumns(query.columns, cells)
      if (typeof found === 'string') throw refuse(path, line, found)
      ;[heading, positions] = [cells, found]
      continue
    }
    if (cells.length !== heading.length)
      throw refuse(path, line, `it has ${String(cells.length)} cells, and the heading has ${String(heading.length)}.`)
    if (++lines > maxLines) throw refuse(path, line, `a file has at most ${String(maxLines)} lines.`)
    const read = readCells(cells, positions, query)
    if (typeof read === 'string') throw refuse(path, line, read)
    add({ line, ...read })
  }
  if (positions === null) throw new ExitError('damaged', `${path} is empty: it has no heading. Nothing was compared.`)
  return positions.keyColumn
}

function parseLine(path: string, line: number, text: string): string[] {
  const rows = parseCsv(text)
  const [cells] = rows ?? []
  if (cells === undefined) throw refuse(path, line, 'it is not CSV: a double quote is not closed, or follows other text.')
  const at = cells.findIndex((cell) => holdsCardNumber(cell))
  if (at !== -1) throw refuse(path, line, `cell ${String(at + 1)} contains a card number. Remove the column from the file.`)
  return cells
}

/** Returns the reason why the cells are not those of a line. */
function readCells(
  cells: readonly string[],
  positions: ColumnPositions,
  { columns, day }: NetworkFileQuery,
): Omit<NetworkFileLine, 'line'> | string {
  const cell = (at: number): string => cells[at]?.trim() ?? ''
  const { keyColumn } = positions
  const key = toLineKey(keyColumn, cell(positions.key))
  if (!/^[!-~]{1,64}$/.test(key)) return `${keyColumn} must be 1 to 64 visible characters.`
  if (!/^[0-9]{1,15}$/.test(cell(positions.amount))) return 'amount must be a whole number of tiyin, without a sign.'
  const kind = columns.kinds.get(cell(positions.kind).toLowerCase())
  if (kind === undefined) return `kind must be one of ${[...new Set(columns.kinds.keys())].join(', ')}.`
  if (positions.time !== -1) {
    const at = parseTime(cell(positions.time), day.offset)
    if (Number.isNaN(at)) return 'time must be as 2026-01-31T09:00:00, with or without a zone.'
    if (at < day.from - dayMs || at >= day.to + dayMs) return 'time is more than a day from --date: this is the file of another day.'
  }
  return { key, kind, amountTiyin: Number(cell(positions.amount)) }
}

/** Trace numbers are six digits, of which some files leave out zeros at the beginning. */
export function toLineKey(column: LineKeyColumn, value: string): string {
  return column === 'trace' && /^[0-9]{1,6}$/.test(value) ? value.padStart(6, '0') : value
}

function parseTime(text: string, offset: string): number {
  const [, date, time, zone] = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? []
  return date === undefined || time === undefined ? Number.NaN : Date.parse(`${date}T${time}${zone ?? offset}`)
}

/** The lines of a file, of which no more than one and a chunk are in memory. Lines end with LF or CR LF. */
async function* readLines(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  let line = 0
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const each of lines) {
        line++
        yield each.endsWith('\r') ? each.slice(0, -1) : each
      }
      if (rest.length > maxLineLength) throw refuse(path, line + 1, `a line has at most ${String(maxLineLength)} characters.`)
    }
    rest += decoder.decode()
  } catch (err) {
    if (err instanceof ExitError) throw err
    const code = (err as NodeJS.ErrnoException).code ?? 'unknown error'
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw refuse(path, line + 1, 'the file is not UTF-8 here or soon after.')
    throw new ExitError('usage', `${path} cannot be read (${code}).`)
  }
  if (rest !== '') yield rest.endsWith('\r') ? rest.slice(0, -1) : rest
}

function refuse(path: string, line: number, reason: string): ExitError {
  return new ExitError('damaged', `${path} is refused, and nothing was compared. Line ${String(line)}: ${reason}`)
}

const dayMs = 24 * 3_600_000
const maxLineLength = 64 * 1024
/** Some 200 bytes of memory each. */
const maxLines = 1_000_000
