import { receiptStates } from '@tessera/contract/receipt'
import { idempotencyTable } from '../service/src/store/idempotency.ts'
import { operationsTable } from '../service/src/store/operations.ts'
import { outboxTable } from '../service/src/store/outbox.ts'
import type { Step } from '../service/src/store/postgres/pipelined-query.ts'
import { openPostgresSession, type Session } from '../service/src/store/postgres/session.ts'
import { receiptsTable } from '../service/src/store/receipts.ts'
import { makeStatement, sql, type Statement, type Value } from '../service/src/store/statement.ts'
import type { RowOf } from '../service/src/store/table.ts'
import type { Measure } from './measurement.ts'
import { readPostgresUsage } from './postgres-usage.ts'

/** What PostgreSQL and a client of it need for a payment at least. */
export interface PaymentFloor {
  readonly perSecond: number
  readonly clientMicroseconds: number
  readonly postgresMicroseconds: number
}

/**
 * Makes the two commits of a payment, for a group of payments at a time, on one connection: rows like those of a payment that the service has made in this
 * database, one statement for all rows of a table and one round trip for each commit. Nothing is read, sealed, linked or logged.
 */
export async function measurePaymentFloor(databaseUrl: string, { group, count }: { group: number; count: number }): Promise<PaymentFloor> {
  const session = await openPostgresSession(databaseUrl, () => undefined)
  try {
    const template = await readPayment(session)
    await session.execute(`drop schema if exists payment_floor cascade; create schema payment_floor;
      ${tables.map(({ name }) => `create table payment_floor.${name} (like public.${name} including all);`).join('\n')}
      set search_path to payment_floor`)
    const payments = Array.from({ length: count }, (_, number) => paymentLike(template, number))
    const groups = Array.from({ length: Math.ceil(count / group) }, (_, at) => payments.slice(at * group, (at + 1) * group))
    for (const each of groups) await session.send([forAll(insertReceipts, each.map(createdReceipt))])
    const [before, clientBefore, startedAt] = [await readPostgresUsage(databaseUrl), process.cpuUsage(), performance.now()]
    for (const each of groups) {
      await session.send(intentionsOf(each), sendMs)
      await session.send(outcomesOf(each), sendMs)
    }
    const [ms, client] = [performance.now() - startedAt, process.cpuUsage(clientBefore)]
    const after = await readPostgresUsage(databaseUrl)
    await session.execute('set search_path to public; drop schema payment_floor cascade')
    return {
      perSecond: (count / ms) * 1000,
      clientMicroseconds: (client.user + client.system) / count,
      postgresMicroseconds: ((after.cpuMs - before.cpuMs) / count) * 1000,
    }
  } finally {
    await session.end()
  }
}

export function floorMeasures(group: number, { perSecond, clientMicroseconds, postgresMicroseconds }: PaymentFloor): Measure[] {
  const of = `floor of pay postgres, ${group} share a COMMIT`
  return [
    { of, name: 'payments', value: perSecond, unit: 'per second' },
    { of, name: 'CPU of the client', value: clientMicroseconds, unit: 'µs per payment' },
    { of, name: 'CPU of PostgreSQL', value: postgresMicroseconds, unit: 'µs per payment' },
  ]
}

const tables = [receiptsTable, operationsTable, idempotencyTable, outboxTable] as const
const begin: Step = { statement: sql`begin`, values: [] }
const commit: Step = { statement: sql`commit`, values: [] }
const sendMs = 60_000

interface Payment {
  readonly receipt: RowOf<typeof receiptsTable>
  readonly operation: RowOf<typeof operationsTable>
  readonly key: RowOf<typeof idempotencyTable>
  readonly event: RowOf<typeof outboxTable>
}

async function readPayment(session: Session): Promise<Payment> {
  const first = async (statement: Statement, values: readonly Value[]) => {
    const [row] = await session.query(statement, values)
    if (row === undefined) throw new Error('the service has made no payment in this database')
    return row
  }
  const receipt = receiptsTable.fromRow(
    await first(sql`select ${receiptsTable.columns} from receipts where state = $1 limit 1`, [receiptStates.paid]),
  )
  const ofReceipt = [receipt.bucket, receipt.receiptId]
  return {
    receipt,
    operation: operationsTable.fromRow(
      await first(sql`select ${operationsTable.columns} from operations where bucket = $1 and receipt_id = $2`, ofReceipt),
    ),
    key: idempotencyTable.fromRow(
      await first(
        sql`select ${idempotencyTable.columns} from idempotency where method = 'receipts.pay' and sealed is not null limit 1`,
        [],
      ),
    ),
    event: outboxTable.fromRow(
      await first(
        sql`select ${outboxTable.columns} from outbox where bucket = $1 and object_id = $2 order by position desc limit 1`,
        ofReceipt,
      ),
    ),
  }
}

/** The same with ids of its own, of the same length. */
function paymentLike({ receipt, operation, key, event }: Payment, number: number): Payment {
  const receiptId = idLike(receipt.receiptId, number)
  const requestId = idLike(operation.requestId, number)
  const keyHash = Uint8Array.from(key.keyHash)
  new DataView(keyHash.buffer).setUint32(0, number)
  return {
    receipt: { ...receipt, receiptId, requestId, version: 3 },
    operation: { ...operation, receiptId, requestId },
    key: { ...key, keyHash, subject: receiptId },
    event: { ...event, eventId: idLike(event.eventId, number), objectId: receiptId },
  }
}

function idLike(id: string, number: number): string {
  const digits = number.toString(16).padStart(8, '0')
  return id.slice(0, -digits.length) + digits
}

function createdReceipt({ receipt }: Payment): Value[] {
  return receiptsTable.toValues({ ...receipt, version: 1, state: receiptStates.created, dueAt: receipt.createdAt + 43_200_000 })
}

function intentionsOf(payments: readonly Payment[]): Step[] {
  return transaction([
    forAll(
      insertKeys,
      payments.map(({ key }) => idempotencyTable.toValues({ ...key, sealed: null })),
    ),
    forAll(
      updateReceipts,
      payments.map(({ receipt }) =>
        receiptsTable.toValues({ ...receipt, version: 2, state: receiptStates.debiting, dueAt: receipt.createdAt + 30_000 }),
      ),
    ),
    forAll(
      upsertOperations,
      payments.map(({ operation }) => operationsTable.toValues({ ...operation, state: 'asked' })),
    ),
  ])
}

function outcomesOf(payments: readonly Payment[]): Step[] {
  return transaction([
    forAll(
      updateReceipts,
      payments.map(({ receipt }) => receiptsTable.toValues(receipt)),
    ),
    forAll(
      upsertOperations,
      payments.map(({ operation }) => operationsTable.toValues(operation)),
    ),
    forAll(
      updateKeys,
      payments.map(({ key }) => [key.bucket, key.merchantId, key.callerClass, key.keyHash, key.sealed]),
    ),
    forAll(
      insertEvents,
      payments.map(({ event }) => outboxTable.toValues(event)),
    ),
  ])
}

function transaction(steps: readonly Step[]): Step[] {
  return [begin, ...steps, commit]
}

function forAll(statement: Statement, rows: readonly (readonly Value[])[]): Step {
  return { statement, values: Array.from({ length: rows[0]?.length ?? 0 }, (_, at) => rows.map((row) => row[at] ?? null)) }
}

function unnestOf(fields: readonly { readonly type: string }[]): string {
  return `unnest(${fields.map(({ type }, at) => `$${at + 1}::${type}[]`).join(', ')})`
}

const [insertReceipts, insertKeys, insertEvents] = [
  makeStatement(receiptsTable.insertRowsSql),
  makeStatement(idempotencyTable.insertRowsSql),
  makeStatement(`insert into outbox (${outboxTable.columns}, position) select *, 1 from ${unnestOf(outboxTable.fields)}`),
]
const updateReceipts = makeStatement(`
  update receipts set ${receiptsTable.names
    .slice(receiptsTable.keys.length)
    .map((name) => `${name} = next.${name}`)
    .join(', ')}
  from ${unnestOf(receiptsTable.fields)} as next (${receiptsTable.columns})
  where receipts.bucket = next.bucket and receipts.receipt_id = next.receipt_id and receipts.version = next.version - 1`)
const upsertOperations = makeStatement(
  `${operationsTable.insertRowsSql} on conflict (bucket, receipt_id, request_id) do update ${operationsTable.replaceSql}`,
)
const updateKeys = sql`
  update idempotency set sealed = next.sealed
  from unnest($1::integer[], $2::text[], $3::text[], $4::bytea[], $5::bytea[]) as next (bucket, merchant_id, caller_class, key_hash, sealed)
  where idempotency.bucket = next.bucket and idempotency.merchant_id = next.merchant_id and idempotency.caller_class = next.caller_class
    and idempotency.key_hash = next.key_hash`
