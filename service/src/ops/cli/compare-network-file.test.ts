import assert from 'node:assert/strict'
import { test } from 'node:test'

import { compareNetworkFile, type ReconciledOperation, type ReconciliationDifference } from './compare-network-file.ts'
import type { LineKeyColumn, NetworkLineKind } from './network-file-columns.ts'

const from = Date.parse('2026-01-31T00:00:00+05:00')
const to = from + 24 * 3_600_000
const noon = from + 12 * 3_600_000

type Line = readonly [key: string, kind: NetworkLineKind, amountTiyin: number]

function operation(networkRef: string, more: Partial<ReconciledOperation> = {}): ReconciledOperation {
  return {
    requestId: `request-${networkRef}`,
    networkRef,
    stan: '',
    receiptId: `receipt-${networkRef}`,
    merchantId: 'merchant',
    kind: 'authorize',
    amountTiyin: 500_000,
    state: 'approved',
    requestedAt: noon,
    resolvedAt: noon + 100,
    hasValidMac: true,
    authorization: null,
    ...more,
  }
}

function compare(lines: readonly Line[], operations: readonly ReconciledOperation[], keyColumn: LineKeyColumn = 'reference') {
  const differences: ReconciliationDifference[] = []
  const onDifference = (difference: ReconciliationDifference) => void differences.push(difference)
  const comparison = compareNetworkFile({ day: { from, to }, keyColumn: () => keyColumn, onDifference })
  for (const [i, [key, kind, amountTiyin]] of lines.entries()) comparison.addLine({ line: i + 2, key, kind, amountTiyin })
  for (const each of operations) comparison.addOperation(each)
  comparison.finish()
  const found = differences.map(({ kind, key, there, here }) => [kind, key, there?.line ?? null, here?.state ?? null])
  return { found, counts: comparison.counts }
}

const reversal = { kind: 'reverse', authorization: { requestId: 'request-A', networkRef: 'A', stan: '000011' } }

test('a file that has every operation once has no difference, whatever the order and whichever reference a reversal has', () => {
  const lines: Line[] = [
    ['B', 'refund', 300],
    ['A', 'reversal', 500_000],
    ['A', 'debit', 500_000],
    ['C', 'capture', 200],
    ['D', 'reversal', 500_000],
  ]
  const operations = [
    operation('A'),
    operation('R1', reversal),
    operation('D', { ...reversal }),
    operation('B', { kind: 'refund', amountTiyin: 300 }),
    operation('H', { kind: 'hold' }),
    operation('C', { kind: 'capture', amountTiyin: 200 }),
    operation('declined', { state: 'declined' }),
  ]
  const { found, counts } = compare(lines, operations)
  assert.deepEqual(found, [])
  assert.deepEqual([counts.lines, counts.operations, counts.matched], [5, 7, 5])
})

test('each kind of difference is listed as what it is', () => {
  const lists: [name: string, lines: Line[], operations: ReconciledOperation[], found: unknown[]][] = [
    ['a line without an operation', [['X', 'debit', 1]], [], [['missing_here', 'X', 2, null]]],
    ['an operation without a line', [], [operation('A')], [['missing_there', 'A', null, 'approved']]],
    ['an unknown outcome without a line', [], [operation('', { state: 'unknown', resolvedAt: 0 })], [['missing_there', '', null, 'unknown']]],
    ['another amount', [['A', 'debit', 499_999]], [operation('A')], [['other_amount', 'A', 2, 'approved']]],
    ['debited there, declined here', [['A', 'debit', 500_000]], [operation('A', { state: 'declined' })], [['other_state', 'A', 2, 'declined']]],
    ['debited there, unknown here', [['A', 'debit', 500_000]], [operation('A', { state: 'unknown', resolvedAt: 0 })], [['other_state', 'A', 2, 'unknown']]],
    ['reversed there, paid here', [['A', 'debit', 500_000], ['A', 'reversal', 500_000]], [operation('A')], [['other_state', 'A', 3, 'approved']]],
    ['a row that was changed', [['A', 'debit', 500_000]], [operation('A', { hasValidMac: false })], [['other_state', 'A', 2, 'tampered']]],
    ['a debit twice', [['A', 'debit', 500_000], ['A', 'debit', 500_000]], [operation('A')], [['duplicate_there', 'A', 3, 'approved']]],
    ['a debit twice with another amount first', [['A', 'debit', 1], ['A', 'debit', 500_000]], [operation('A')], [['duplicate_there', 'A', 2, 'approved']]],
    ['a debit twice that is missing here', [['A', 'debit', 1], ['A', 'debit', 1]], [], [['missing_here', 'A', 2, null], ['duplicate_there', 'A', 3, null]]],
  ] // prettier-ignore
  for (const [name, lines, operations, found] of lists) assert.deepEqual(compare(lines, operations).found, found, name)
})

test('an operation over midnight may be in the file of either day, and one of another day is not missed', () => {
  const operations = [
    operation('A', { requestedAt: to - 10, resolvedAt: to + 10 }),
    operation('B', { requestedAt: from - 10, resolvedAt: from + 10 }),
    operation('C', { requestedAt: from - 1000, resolvedAt: 0, state: 'unknown' }),
  ]
  assert.deepEqual(compare([], operations).found, [])
  const late: Line[] = [['A', 'debit', 500_000], ['B', 'debit', 500_000], ['C', 'debit', 500_000]] // prettier-ignore
  assert.deepEqual(compare(late, operations).found, [['other_state', 'C', 4, 'unknown']])
})

test('a file may name operations by trace number, with or without zeros, or by the request id', () => {
  assert.deepEqual(compare([['000011', 'debit', 500_000]], [operation('A', { stan: '11' })], 'trace').found, [])
  assert.deepEqual(compare([['request-A', 'debit', 500_000]], [operation('A')], 'request').found, [])
})
