import { readFileSync } from 'node:fs'

import { holdsCardNumber } from '@tessera/contract/card-number-detector'

import { ExitError } from '../exits.ts'

/** What a line of a network's daily file says was done. */
export type NetworkLineKind = (typeof networkLineKinds)[number]

const networkLineKinds = ['debit', 'reversal', 'refund', 'capture', 'hold'] as const

/** The columns that tell which operation a line is of; the first that a file has is used. */
const lineKeyColumns = ['reference', 'trace', 'request'] as const

export type LineKeyColumn = (typeof lineKeyColumns)[number]

const columnNames = [...lineKeyColumns, 'amount', 'kind', 'time'] as const

type ColumnName = (typeof columnNames)[number]

/** How a network calls the columns of its file, and the kinds of its lines. */
export interface NetworkFileColumns {
  /** The heading of each column; those that are not declared are called as here. */
  readonly headings: ReadonlyMap<ColumnName, string>
  /** Our kind, by the network's word in lower case. */
  readonly kinds: ReadonlyMap<string, NetworkLineKind>
}

/** Where the columns of one file are. */
export interface ColumnPositions {
  readonly keyColumn: LineKeyColumn
  readonly key: number
  readonly amount: number
  readonly kind: number
  /** -1: the file has no times. */
  readonly time: number
}

/** `columns` is `reference=RRN,amount=AMT` or the path of a JSON file, `kinds` is `D=debit,R=reversal`. Throws `ExitError`. */
export function readNetworkFileColumns(columns: string, kinds: string): NetworkFileColumns {
  const declared = columns.endsWith('.json') ? readDeclaration(columns) : { columns: parsePairs('columns', columns), kinds: {} }
  const words = { ...declared.kinds, ...parsePairs('kinds', kinds) }
  if (holdsCardNumber({ columns: declared.columns, words })) throw new ExitError('usage', 'The columns contain a card number.')
  const headings = new Map<ColumnName, string>()
  for (const [name, heading] of Object.entries(declared.columns)) {
    const column = columnNames.find((each) => each === name)
    if (column === undefined) throw new ExitError('usage', `There is no column ${name}; there are ${columnNames.join(', ')}.`)
    headings.set(column, heading)
  }
  const known = new Map<string, NetworkLineKind>(networkLineKinds.map((kind) => [kind, kind]))
  for (const [word, name] of Object.entries(words)) {
    const kind = networkLineKinds.find((each) => each === name)
    if (kind === undefined) throw new ExitError('usage', `There is no kind ${name}; there are ${networkLineKinds.join(', ')}.`)
    known.set(word.toLowerCase(), kind)
  }
  return { headings, kinds: known }
}

/** Finds the columns in the heading of a file. Returns the reason why it has not what is needed. */
export function findColumns({ headings }: NetworkFileColumns, heading: readonly string[]): ColumnPositions | string {
  const cells = heading.map((cell) => cell.trim())
  const at = (name: ColumnName): number => cells.indexOf(headings.get(name) ?? name)
  for (const [name, declared] of headings) if (at(name) === -1) return `the column ${declared} (${name}) is missing.`
  const twice = columnNames.find((name) => at(name) !== cells.lastIndexOf(headings.get(name) ?? name))
  if (twice !== undefined) return `the column ${headings.get(twice) ?? twice} is there twice.`
  const keyColumn = lineKeyColumns.find((name) => headings.has(name)) ?? lineKeyColumns.find((name) => at(name) !== -1)
  if (keyColumn === undefined) return 'it has no column reference, trace or request: name one with --columns reference=<heading>.'
  for (const name of ['amount', 'kind'] as const) {
    if (at(name) === -1) return `it has no column ${name}: name it with --columns ${name}=<heading>.`
  }
  return { keyColumn, key: at(keyColumn), amount: at('amount'), kind: at('kind'), time: at('time') }
}

type Pairs = Readonly<Record<string, string>>

function parsePairs(option: string, text: string): Pairs {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
      if (name === undefined || value === undefined || value === '')
        throw new ExitError('usage', `--${option} must be pairs with commas between them: ${pairExamples[option] ?? ''}`)
      return [name, value]
    }),
  )
}

const pairExamples: Pairs = { columns: 'reference=RRN,amount=AMT,kind=OP', kinds: 'D=debit,R=reversal' }

/** `{"columns": {"reference": "RRN"}, "kinds": {"D": "debit"}}` */
function readDeclaration(path: string): { readonly columns: Pairs; readonly kinds: Pairs } {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'))
  } catch (err) {
    const code = (err as NodeJS.ErrnoException).code ?? 'it is not JSON'
    throw new ExitError('usage', `${path} cannot be read (${code}).`)
  }
  const { columns = {}, kinds = {}, ...others } = isObject(parsed) ? parsed : { columns: null }
  if (!isPairs(columns) || !isPairs(kinds) || Object.keys(others).length > 0)
    throw new ExitError('usage', `${path} must be {"columns": {"reference": "RRN"}, "kinds": {"D": "debit"}}.`)
  return { columns, kinds }
}

function isPairs(value: unknown): value is Pairs {
  return isObject(value) && Object.values(value).every((each) => typeof each === 'string')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
