import type { Result } from '@tessera/contract/operations'

import type { LineKeyColumn, NetworkLineKind } from './network-file-columns.ts'
import { toLineKey, type NetworkFileDay, type NetworkFileLine } from './network-file.ts'

/** An operation of the service, as `operator.receipts.networkOperations` returns it. */
export type ReconciledOperation = Result<'operator.receipts.networkOperations'>['operations'][number]

/** A difference between a network's daily file and the service. `here` is the service, `there` the network. */
export interface ReconciliationDifference {
  readonly kind: DifferenceKind
  /** The reference, trace number or request id that was compared; '' for an operation without one. */
  readonly key: string
  /** Null: no line. */
  readonly there: NetworkFileLine | null
  /** Null: no operation. */
  readonly here: ComparedOperation | null
}

export type DifferenceKind = 'missing_here' | 'missing_there' | 'other_amount' | 'other_state' | 'duplicate_there'

/** What a difference says of an operation. */
export interface ComparedOperation extends Pick<ReconciledOperation, 'receiptId' | 'requestId' | 'amountTiyin'> {
  readonly kind: string
  /** `tampered`: the row was not written by this service. */
  readonly state: string
}

/** Compares the lines of a file with operations that come in any order, one by one. In memory are the lines alone. */
export interface NetworkFileComparison {
  addLine(line: NetworkFileLine): void
  /** After all lines. */
  addOperation(operation: ReconciledOperation): void
  /** After all operations: what the file has and the service has not. */
  finish(): void
  readonly counts: Readonly<Record<ComparisonCount, number>>
}

export type ComparisonCount = 'lines' | 'operations' | 'matched' | DifferenceKind

export interface NetworkComparisonOptions {
  readonly day: Pick<NetworkFileDay, 'from' | 'to'>
  /** Known when the heading was read. */
  readonly keyColumn: () => LineKeyColumn
  readonly onDifference: (difference: ReconciliationDifference) => void
}

interface LinesOfKey {
  readonly lines: StoredLine[]
  /** An operation with this key, whatever its kind. */
  near: ComparedOperation | null
}

interface StoredLine extends NetworkFileLine {
  isMatched: boolean
}

export function compareNetworkFile({ day, keyColumn, onDifference }: NetworkComparisonOptions): NetworkFileComparison {
  const index = new Map<string, LinesOfKey>()
  const counts = { ...noCounts }
  return Object.freeze({ addLine, addOperation, finish, counts })

  function addLine(line: NetworkFileLine): void {
    counts.lines++
    const stored = { ...line, isMatched: false }
    const entry = index.get(line.key)
    if (entry === undefined) index.set(line.key, { lines: [stored], near: null })
    else entry.lines.push(stored)
  }

  function addOperation(operation: ReconciledOperation): void {
    counts.operations++
    const here = toCompared(operation)
    const keys = keysOf(operation)
    for (const key of keys) noteOperation(key, here)
    const there = findLine(keys, operation)
    if (there !== undefined) compareLine(operation, here, there)
    else if (isExpected(operation, day)) report('missing_there', { key: keys[0] ?? '', there: null, here })
  }

  function noteOperation(key: string, here: ComparedOperation): void {
    const entry = index.get(key)
    if (entry !== undefined) entry.near ??= here
  }

  function compareLine({ state, hasValidMac, amountTiyin }: ReconciledOperation, here: ComparedOperation, there: StoredLine): void {
    there.isMatched = true
    const { key } = there
    if (state !== 'approved' || !hasValidMac) report('other_state', { key, there, here })
    else if (amountTiyin !== there.amountTiyin) report('other_amount', { key, there, here })
    else counts.matched++
  }

  /** Of two lines that could be of the operation, that with its amount. */
  function findLine(keys: readonly string[], { kind, amountTiyin }: ReconciledOperation): StoredLine | undefined {
    for (const key of keys) {
      const open = (index.get(key)?.lines ?? []).filter((line) => !line.isMatched && line.kind === lineKindOf[kind])
      const found = open.find((line) => line.amountTiyin === amountTiyin) ?? open[0]
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Its own, then that of the debit or hold that it follows: networks give a reversal either its own reference or that of the debit. */
  function keysOf(operation: ReconciledOperation): string[] {
    const { authorization } = operation
    const keys = [operation, ...(authorization === null ? [] : [authorization])].map((ids) =>
      toLineKey(keyColumn(), ids[memberOf[keyColumn()]]),
    )
    return [...new Set(keys)].filter((key) => key !== '')
  }

  function finish(): void {
    for (const [key, { lines, near }] of index) {
      const seen = new Set(lines.filter(({ isMatched }) => isMatched).map(({ kind }) => kind))
      for (const there of lines) {
        if (there.isMatched) continue
        if (seen.has(there.kind)) report('duplicate_there', { key, there, here: near })
        else if (near === null) report('missing_here', { key, there, here: null })
        else report('other_state', { key, there, here: near })
        seen.add(there.kind)
      }
    }
  }

  function report(kind: DifferenceKind, { there, ...difference }: Omit<ReconciliationDifference, 'kind'>): void {
    counts[kind]++
    onDifference({ kind, ...difference, there: there === null ? null : toLine(there) })
  }
}

/**
 * Whether the file of the day has to have it: what was approved on this day as a whole, and what was requested on it and has no known outcome. One that was
 * requested before midnight and approved after it may be in the file of either day. Holds move no money, and many files leave them out.
 * Other operations are compared only with a line that is there: one for a declined call is money that the network moved all the same.
 */
function isExpected(
  { kind, state, requestedAt, resolvedAt, hasValidMac }: ReconciledOperation,
  { from, to }: NetworkComparisonOptions['day'],
): boolean {
  if (requestedAt < from || requestedAt >= to || kind === 'hold' || kind === 'cancelHold') return false
  if (state === 'approved') return resolvedAt < to
  return state !== 'declined' || !hasValidMac
}

function toCompared({ receiptId, requestId, amountTiyin, kind, state, hasValidMac }: ReconciledOperation): ComparedOperation {
  return { receiptId, requestId, amountTiyin, kind, state: hasValidMac ? state : 'tampered' }
}

function toLine({ line, key, kind, amountTiyin }: NetworkFileLine): NetworkFileLine {
  return { line, key, kind, amountTiyin }
}

const memberOf = { reference: 'networkRef', trace: 'stan', request: 'requestId' } as const satisfies Record<LineKeyColumn, string>

const lineKindOf: Readonly<Partial<Record<string, NetworkLineKind>>> = Object.freeze({
  authorize: 'debit',
  hold: 'hold',
  capture: 'capture',
  cancelHold: 'reversal',
  refund: 'refund',
  reverse: 'reversal',
})

const noCounts: Readonly<Record<ComparisonCount, number>> = Object.freeze({
  lines: 0,
  operations: 0,
  matched: 0,
  missing_here: 0,
  missing_there: 0,
  other_amount: 0,
  other_state: 0,
  duplicate_there: 0,
})
