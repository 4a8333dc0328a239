import { formatSum } from '@tessera/contract/receipt'

import { ExitError } from '../exits.ts'

import { printFields, printTable, requireArguments, type Command, type CommandInput } from './command.ts'
import { compareNetworkFile, type NetworkFileComparison, type ReconciliationDifference } from './compare-network-file.ts'
import { callService } from './control-client.ts'
import { readNetworkFileColumns, type LineKeyColumn } from './network-file-columns.ts'
import { readNetworkFile, type NetworkFileDay } from './network-file.ts'

const shape = 'receipts reconcile <file> --card-network <name> --date <YYYY-MM-DD>'

export const receiptsReconcile: Command = {
  name: 'receipts reconcile',
  args: '<file>',
  summary: 'Compares the daily file of a card network with the operations of the service, and lists the differences.',
  details:
    'The file is CSV with a heading: reference, trace or request; amount (tiyin); kind (debit, reversal, refund, capture, hold); time, if it has one.\n' +
    'It is validated as a whole before anything is compared, and must have no card numbers. Nothing is changed; the audit gets receipts.reconciled.\n' +
    'Exit code 0: no difference; 1: differences; 65: the file is malformed. See docs/operating/reconciliation.md.',
  options: [
    { name: 'card-network', takes: '<name>', meaning: 'The card network: the name of its adapter in the settings.' },
    { name: 'date', takes: '<date>', meaning: 'The day of the file: 2026-01-31.' },
    { name: 'columns', takes: '<columns>', meaning: 'How the network calls the columns: reference=RRN,amount=AMT, or a JSON file.' },
    { name: 'kinds', takes: '<kinds>', meaning: 'How the network calls the kinds: D=debit,R=reversal.' },
    { name: 'offset', takes: '<offset>', meaning: 'The zone in which the network’s day begins; +05:00 (Tashkent) by default.' },
  ],
  run: runReconcile,
}

async function runReconcile(input: CommandInput): ReturnType<Command['run']> {
  const [path = ''] = requireArguments(input.args, 1, 1, shape)
  const network = input.options.get('card-network')
  const date = input.options.get('date')
  if (network === undefined || date === undefined) throw new ExitError('usage', `Usage: tessera ${shape}`)
  const day = dayOf(date, input.options.get('offset') ?? '+05:00')
  const columns = readNetworkFileColumns(input.options.get('columns') ?? '', input.options.get('kinds') ?? '')
  const differences: ReconciliationDifference[] = []
  let keyColumn: LineKeyColumn = 'reference'
  const comparison = compareNetworkFile({
    day,
    keyColumn: () => keyColumn,
    onDifference: (difference) => {
      if (differences.length < maxListed) differences.push(difference)
    },
  })
  keyColumn = await readNetworkFile(path, { columns, day }, (line) => comparison.addLine(line))
  const unreadable = await addOperations(input, comparison, { network, day })
  comparison.finish()
  const { counts } = comparison
  await callService(input, 'operator.receipts.recordReconciliation', { network, date, counts })
  const total = counts.missing_here + counts.missing_there + counts.other_amount + counts.other_state + counts.duplicate_there
  const data = { network, date, comparedBy: keyColumn, counts, unreadable, differences, more: total > differences.length }
  return { exit: total + unreadable > 0 ? 'findings' : 'done', data, text: describe(data) }
}

/** Passes all operations of the day to the comparison. Returns how many rows could not be read. */
async function addOperations(
  input: CommandInput,
  comparison: NetworkFileComparison,
  { network, day: { from, to } }: { readonly network: string; readonly day: NetworkFileDay },
): Promise<number> {
  let unreadable = 0
  for (let after: string | null = ''; after !== null;) {
    const cursor: { after?: string } = after === '' ? {} : { after }
    const page = await callService(input, 'operator.receipts.networkOperations', { network, from, to, ...cursor }, pageTimeoutMs)
    for (const operation of page.operations) comparison.addOperation(operation)
    unreadable += page.unreadable
    after = page.next
  }
  return unreadable
}

function dayOf(date: string, offset: string): NetworkFileDay {
  if (!/^[+-](0\d|1[0-4]):[0-5]\d$/.test(offset)) throw new ExitError('usage', '--offset must be as +05:00.')
  const from = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN
  // 30 February is read as 2 March.
  if (Number.isNaN(from) || new Date(from).toISOString().slice(0, 10) !== date)
    throw new ExitError('usage', '--date must be as 2026-01-31.')
  const start = Date.parse(`${date}T00:00:00${offset}`)
  return { from: start, to: start + 24 * 3_600_000, offset }
}

interface ReconciliationReport {
  readonly counts: NetworkFileComparison['counts']
  readonly unreadable: number
  readonly differences: readonly ReconciliationDifference[]
  readonly more: boolean
}

function describe({ counts, unreadable, differences, more }: ReconciliationReport): string {
  const totals = printFields({ ...counts, ...(unreadable === 0 ? {} : { unreadable }) })
  const warning = unreadable === 0 ? '' : '\n\nRows cannot be read, and may be of this network: run tessera store check.'
  if (differences.length === 0) return `${unreadable === 0 ? 'No differences.\n\n' : ''}${totals}${warning}`
  const rows = differences.map(({ kind, key, there, here }) => [
    kind,
    key,
    there === null ? null : there.line,
    there === null ? null : `${there.kind} ${formatSum(there.amountTiyin)}`,
    here === null ? null : `${here.kind} ${formatSum(here.amountTiyin)} ${here.state}`,
    here === null ? null : here.receiptId,
  ])
  const table = printTable(['difference', 'reference', 'line', 'there', 'here', 'receipt'], rows)
  return `${table}${more ? `\n… and more: the first ${String(maxListed)} are listed` : ''}\n\n${totals}${warning}`
}

/** A day with more is not read line by line. */
const maxListed = 10_000
/** A page of a large table may read all of it. */
const pageTimeoutMs = 600_000
