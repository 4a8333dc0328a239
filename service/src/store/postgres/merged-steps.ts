import type { Row } from '../statement.ts'
import type { Step, StepValues } from './pipelined-query.ts'

/** The statements of one transaction in a round. */
export interface TransactionSteps {
  /** Which of the transactions that share a COMMIT. */
  readonly place: number
  readonly steps: readonly Step[]
}

/** A statement of a round, for one transaction or several. */
export interface RoundStep {
  readonly step: Step
  /** The transactions, in the order of the rows that it writes. */
  readonly places: readonly number[]
  /** The rows of one of them among the rows that the statement returned. */
  readonly rowsOf: (place: number, rows: readonly Row[]) => readonly Row[]
}

/**
 * Puts the statements of transactions that share a COMMIT into the order in which they are sent: each transaction's in its own order, and those of the same
 * text that come next in several transactions as one statement for all their rows, where it has such a form (`Statement.many`). The transactions write
 * different rows.
 */
export function mergeSteps(transactions: readonly TransactionSteps[], mayMerge: boolean): RoundStep[] {
  const queues = transactions.map(({ place, steps }) => ({ place, steps, next: 0 }))
  const merged: RoundStep[] = []
  for (const queue of queues) {
    for (let step = queue.steps[queue.next]; step !== undefined; step = queue.steps[queue.next]) {
      const { statement } = step
      const alike =
        mayMerge && statement.many !== undefined ? queues.filter(({ steps, next }) => steps[next]?.statement === statement) : [queue]
      const of = alike.map(({ place, steps, next }) => ({ place, values: steps[next]?.values ?? [] }))
      for (const each of alike) each.next++
      merged.push(of.length === 1 ? { step, places: [queue.place], rowsOf: (_place, rows) => rows } : mergedStep(step, of))
    }
  }
  return merged
}

interface PlacedValues {
  readonly place: number
  readonly values: StepValues
}

function mergedStep({ statement: { many } }: Step, of: readonly PlacedValues[]): RoundStep {
  if (many === undefined) throw new Error('a statement for one row was to be merged')
  const { statement, columns, key } = many
  const values = Array.from({ length: columns }, (_, at) => of.map((each) => scalarOf(each.values[at])))
  const keyOfPlace = new Map(of.map((each) => [each.place, keyText(each.values.slice(0, key.length))]))
  return {
    step: { statement, values },
    places: of.map(({ place }) => place),
    rowsOf: (place, rows) => rows.filter((row) => keyText(key.map((name) => row[name])) === keyOfPlace.get(place)),
  }
}

function scalarOf(value: StepValues[number] | undefined): string | number | null | Uint8Array {
  if (value === undefined || Array.isArray(value)) throw new Error('a statement for many rows takes one value of each')
  return value as string | number | null | Uint8Array
}

function keyText(values: readonly unknown[]): string {
  return JSON.stringify(values.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value)))
}
