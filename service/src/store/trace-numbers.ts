import { bigint, readInteger, text } from './columns.ts'
import { sql } from './statement.ts'
import { table } from './table.ts'
import { type Transaction, runOne } from './transaction.ts'

// prettier-ignore
export const traceNumbersTable = table('trace_numbers', {
  network: text().key(),
  next:    bigint(),
}, 'a counter: the network distinguishes a number given out twice by the time and the reference of its call')

export interface TakeTraceNumbers {
  readonly network: string
  /** How many numbers are taken. */
  readonly count: number
}

const take = sql`
  insert into trace_numbers (network, next) values ($1, $2)
  on conflict (network) do update set next = trace_numbers.next + excluded.next returning next`

/** Takes a block of numbers that no other process gets, and returns its first. They begin at 0 and are taken modulo the length of the field. */
export function* takeTraceNumbers({ network, count }: TakeTraceNumbers): Transaction<number> {
  const row = yield* runOne(take, [network, count])
  if (row === null) throw new Error('the block of trace numbers was not returned')
  return readInteger(row, 'next') - count
}
