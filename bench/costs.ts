import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { openApiClient, tokenOf, type ApiClient, type CallOutcome } from '../fault/api-client.ts'
import { longLifetimes } from '../fault/inspect.ts'
import { panWithOurOtp, testOtp } from '../fault/load.ts'
import { plantedFaults } from '../fault/planted-faults.ts'
import { queryDatabase, selectRows, type ServiceData, type StoreKind } from '../fault/service-data.ts'
import { startService, type RunningService } from '../fault/spawn.ts'

import { readCpuMsWhenIdle } from './cpu.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'
import { readPostgresUsage } from './postgres-usage.ts'

/** What one call of each kind costs, as `npm run capacity` needs it. The card network approves at once: its ledger would count as the service's. */
export const costs: Measurement = {
  name: 'costs',
  question:
    'What does each call take: CPU of service and database, bytes of the write-ahead log, bytes stored? (what npm run capacity computes with)',
  async run(bench) {
    const measures: Measure[] = []
    for (const store of bench.stores) measures.push(...(await measureCosts(bench, store)))
    return measures
  },
}

async function measureCosts({ dataFactory, isQuick, say }: Bench, store: StoreKind): Promise<Measure[]> {
  const serviceData = await dataFactory.create(store)
  const calls = isQuick ? 500 : 4000
  const running = await startService({
    flags: [...serviceData.flags, ...longLifetimes, '--log-level=warn'],
    imports: [plantedFaults.instantNetwork],
    logFile: join(serviceData.folder, 'log'),
  })
  try {
    const made = { tokens: [] as string[], receipts: [] as string[] }
    const measures: Measure[] = []
    // Unmeasured, so that the code is compiled and the pages are there.
    for (const { call } of steps) await callAll(running, calls / 4, (client, at) => call(client, made, at))
    for (const { name, call } of steps) {
      if (name === 'cards.create') made.tokens.length = 0
      if (name === 'receipts.create') made.receipts.length = 0
      // Reading the size takes work of PostgreSQL, which is not the call's.
      const storedBefore = await readLastingBytes(serviceData)
      const before = await readUsage(running, serviceData)
      await callAll(running, calls, (client, at) => call(client, made, at))
      const after = await readUsage(running, serviceData)
      const add = (what: string, value: number, unit: string): number =>
        measures.push({ of: `${name} ${store}`, name: what, value: value / calls, unit })
      add('CPU of the service', (after.serviceMs - before.serviceMs) * 1000, 'µs a call')
      if (store === 'postgres') {
        add('CPU of PostgreSQL', (after.databaseMs - before.databaseMs) * 1000, 'µs a call')
        add('write-ahead log', after.walBytes - before.walBytes, 'bytes a call')
      }
      add('stored for years', (await readLastingBytes(serviceData)) - storedBefore, 'bytes a call')
      say(`costs ${store}: ${name}`)
    }
    return measures
  } finally {
    await running.stop()
    await serviceData.remove()
  }
}

interface CreatedObjects {
  readonly tokens: string[]
  readonly receipts: string[]
}

interface CostStep {
  readonly name: string
  readonly call: (client: ApiClient, made: CreatedObjects, at: number) => Promise<void>
}

/** In the order of a card's life, each on what the ones before have made. */
const steps: readonly CostStep[] = [
  {
    name: 'cards.create',
    call: async (client, { tokens }) => void tokens.push(tokenOf(await resultOf(() => client.create(panWithOurOtp)))),
  },
  {
    name: 'cards.get_verify_code',
    call: async (client, { tokens }, at) => {
      await resultOf(() => client.requestCode(tokens[at] ?? ''))
    },
  },
  {
    name: 'cards.verify',
    call: async (client, { tokens }, at) => {
      await resultOf(() => client.verify(tokens[at] ?? '', testOtp))
    },
  },
  {
    name: 'cards.check',
    call: async (client, { tokens }, at) => {
      await resultOf(() => client.check(tokens[at] ?? ''))
    },
  },
  {
    name: 'receipts.create',
    async call(client, { receipts }, at) {
      const params = { amount: 10_000 + at, account: { order: `order-${String(at)}` } }
      const { receipt } = await resultOf(() => client.call('receipts.create', params))
      receipts.push((receipt as { readonly _id: string })._id)
    },
  },
  {
    name: 'receipts.pay',
    async call(client, { tokens, receipts }, at) {
      await resultOf(() => client.call('receipts.pay', { id: receipts[at], token: tokens[at] }, `pay-${receipts[at] ?? ''}`))
    },
  },
]

/** On a busy machine even a few connections may be too many: what is refused for that was not done, and is sent again. */
async function resultOf(send: () => Promise<CallOutcome>): Promise<Readonly<Record<string, unknown>>> {
  const outcome = await send()
  if (outcome.kind === 'refused' && outcome.reason === 'overloaded') {
    await pause(outcome.retryAfterMs ?? 1000)
    return resultOf(send)
  }
  if (outcome.kind !== 'result') throw new Error(`a call was refused: ${JSON.stringify(outcome)}`)
  return outcome.result
}

async function callAll(running: RunningService, calls: number, call: (client: ApiClient, at: number) => Promise<void>): Promise<void> {
  let next = 0
  const callOnOneConnection = async (): Promise<void> => {
    const client = await openApiClient(running)
    while (next < calls) await call(client, next++)
    client.close()
  }
  await Promise.all(Array.from({ length: connections }, callOnOneConnection))
}

interface Usage {
  readonly serviceMs: number
  readonly databaseMs: number
  readonly walBytes: number
}

/** Once the service is idle, so with what it writes after its replies: request log, summaries, counters. */
async function readUsage(running: RunningService, serviceData: ServiceData): Promise<Usage> {
  const serviceMs = await readCpuMsWhenIdle(running.pid)
  if (serviceData.databaseUrl === null) return { serviceMs, databaseMs: 0, walBytes: 0 }
  const [row] = await queryDatabase(serviceData.databaseUrl, `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes`)
  const { cpuMs } = await readPostgresUsage(serviceData.databaseUrl)
  return { serviceMs, databaseMs: cpuMs, walBytes: Number(row?.['bytes']) }
}

/** Of the tables whose rows stay for years, with their indexes; without room of former versions of rows, which PostgreSQL uses again. */
async function readLastingBytes(serviceData: ServiceData): Promise<number> {
  const names = lastingTables.map((name) => `'${name}'`).join(', ')
  const { databaseUrl } = serviceData
  if (databaseUrl === null) {
    const [row] = await selectRows(
      serviceData,
      `select sum(pgsize) as bytes from dbstat join sqlite_schema using (name) where tbl_name in (${names})`,
    )
    return Number(row?.['bytes'])
  }
  for (const name of lastingTables) await queryDatabase(databaseUrl, `vacuum full ${name}`)
  const [row] = await selectRows(
    serviceData,
    `select sum(pg_total_relation_size(relid))::float8 as bytes from pg_stat_user_tables where relname in (${names})`,
  )
  return Number(row?.['bytes'])
}

const lastingTables = ['audit', 'cards', 'verifications', 'receipts', 'operations', 'receipt_summaries', 'receipt_orders']
const connections = 16
