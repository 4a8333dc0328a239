import { sampleMerchantId, T0 } from './samples.fixture.ts'
import type { StoreUnderTest } from './opened.fixture.ts'

/** One in `waitingOneIn` deliveries waits, and one in `dueOneIn` of those is due. */
export interface DeliveryBacklog {
  readonly waitingOneIn: number
  readonly dueOneIn: number
  readonly endpoints: number
}

/** The situations that a claim may meet. */
export const backlogs = {
  'with a normal backlog': { waitingOneIn: 200, dueOneIn: 2, endpoints: 64 },
  'after hours without a receiver': { waitingOneIn: 2, dueOneIn: 1, endpoints: 64 },
  'after hours without the only receiver': { waitingOneIn: 2, dueOneIn: 1, endpoints: 1 },
  'with half of the deliveries behind a waiting one': { waitingOneIn: 1, dueOneIn: 2, endpoints: 64 },
} as const satisfies Readonly<Record<string, DeliveryBacklog>>

/** Fills a store with five events per object, for one endpoint per bucket; then updates the planner's statistics. */
export async function fillDeliveries(
  raw: StoreUnderTest['raw'],
  dialect: 'sqlite' | 'postgres',
  { waitingOneIn, dueOneIn, endpoints }: DeliveryBacklog,
): Promise<void> {
  const [series, hex] =
    dialect === 'sqlite'
      ? [`(with recursive up(n) as (select 1 union all select n + 1 from up where n < ${count}) select n from up)`, `printf('%024x', n)`]
      : [`generate_series(1, ${count}) as up(n)`, `lpad(to_hex(n), 24, '0')`]
  const noMac = dialect === 'sqlite' ? "x''" : "''::bytea"
  const objectId = hex.replace('n)', 'n / 5)')
  const bucket = `(n / 5) % ${endpoints}`
  await raw(`
    insert into outbox (bucket, event_id, merchant_id, object_id, position, type, at, body, mac)
    select ${bucket}, ${hex}, '${sampleMerchantId}', ${objectId}, n % 5, 'receipt.paid', ${T0} + n, '{}', ${noMac} from ${series}`)
  await raw(`
    insert into deliveries
      (bucket, endpoint_id, event_id, merchant_id, object_id, position, state, tries, attempts, due_at, claim_id, made_at, settled_at)
    select ${bucket}, 'endpoint ' || cast(${bucket} as text), ${hex}, '${sampleMerchantId}', ${objectId}, n % 5,
      case when n % ${waitingOneIn} = 0 then 'waiting' else 'delivered' end, 1, 1,
      case when n % ${waitingOneIn} <> 0 then null when n % ${waitingOneIn * dueOneIn} = 0 then ${T0} - n else ${T0} + n end, '', ${T0} + n, 0
    from ${series}`)
  // As after many claims: each row was rewritten, and its old version has not been vacuumed yet.
  await raw('update deliveries set tries = tries + 1')
  await raw('analyze outbox')
  await raw('analyze deliveries')
}

/** The endpoints of the deliveries. */
export async function insertEndpoints(raw: StoreUnderTest['raw'], { endpoints }: DeliveryBacklog): Promise<void> {
  for (let bucket = 0; bucket < endpoints; bucket++) {
    await raw(`
      insert into webhook_endpoints (bucket, endpoint_id, merchant_id, url, secret, before_ends_at, created_at, version, mac)
      values (${bucket}, 'endpoint ${bucket}', '${sampleMerchantId}', 'https://shop.example/', '', 0, ${T0}, 1, '')`)
  }
  await raw('analyze webhook_endpoints')
}

const count = 50_000
