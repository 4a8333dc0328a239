import { merchantId, T0 } from './samples.fixture.ts'
import type { Opened } from './opened.fixture.ts'

/** How many of the deliveries wait, and for how many of those the time has come: one in so many. */
export interface Waiting {
  readonly waitingOneIn: number
  readonly dueOneIn: number
  readonly endpoints: number
}

/** What a claim may find. */
export const backlogs = {
  'as it is mostly': { waitingOneIn: 200, dueOneIn: 2, endpoints: 64 },
  'after hours without a receiver': { waitingOneIn: 2, dueOneIn: 1, endpoints: 64 },
  'after hours without the only receiver there is': { waitingOneIn: 2, dueOneIn: 1, endpoints: 1 },
  'with half of all behind something that waits': { waitingOneIn: 1, dueOneIn: 2, endpoints: 64 },
} as const satisfies Readonly<Record<string, Waiting>>

/** Fills a store with events of five states of an object each, on their way to one endpoint a bucket; then has it count them for its planner. */
export async function fillDeliveries(
  raw: Opened['raw'],
  dialect: 'sqlite' | 'postgres',
  { waitingOneIn, dueOneIn, endpoints }: Waiting,
): Promise<void> {
  const [series, hex] =
    dialect === 'sqlite'
      ? [`(with recursive up(n) as (select 1 union all select n + 1 from up where n < ${count}) select n from up)`, `printf('%024x', n)`]
      : [`generate_series(1, ${count}) as up(n)`, `lpad(to_hex(n), 24, '0')`]
  const objectId = hex.replace('n)', 'n / 5)')
  const bucket = `(n / 5) % ${endpoints}`
  await raw(`
    insert into outbox (bucket, event_id, merchant_id, object_id, position, type, at, body)
    select ${bucket}, ${hex}, '${merchantId}', ${objectId}, n % 5, 'receipt.paid', ${T0} + n, '{}' from ${series}`)
  await raw(`
    insert into deliveries
      (bucket, endpoint_id, event_id, merchant_id, object_id, position, state, tries, attempts, due_at, claim_id, made_at, settled_at)
    select ${bucket}, 'endpoint ' || cast(${bucket} as text), ${hex}, '${merchantId}', ${objectId}, n % 5,
      case when n % ${waitingOneIn} = 0 then 'waiting' else 'delivered' end, 1, 1,
      case when n % ${waitingOneIn} <> 0 then null when n % ${waitingOneIn * dueOneIn} = 0 then ${T0} - n else ${T0} + n end, '', ${T0} + n, 0
    from ${series}`)
  // As a life of claims leaves it: each row was written anew, and the one before it is not cleared away yet.
  await raw('update deliveries set tries = tries + 1')
  await raw('analyze outbox')
  await raw('analyze deliveries')
}

const count = 50_000
