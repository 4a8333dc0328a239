import { pricedCalls, type PricedCall } from './demand.ts'

/** What one call takes on one store. */
export interface CallCost {
  /** CPU of the service, µs. */
  readonly serviceMicros: number
  /** CPU of PostgreSQL, µs; 0 on the embedded store, which is part of the service. */
  readonly databaseMicros: number
  /** Bytes of PostgreSQL's write-ahead log; 0 on the embedded store. */
  readonly walBytes: number
  /** Bytes in tables that are stored for years, with their indexes: not the request log, deliveries of webhooks, idempotency records or sent messages. */
  readonly storedBytes: number
}

export type CallCosts = Readonly<Record<PricedCall, CallCost>>

/** A value of `npm run bench -- … --json`. */
export interface BenchValue {
  readonly of: string
  readonly name: string
  readonly value: number
}

/** Reads the costs of a store from what the benchmark has measured. Throws an error that names what is missing. */
export function readCosts(values: readonly BenchValue[], store: 'sqlite' | 'postgres'): CallCosts {
  const find = (call: PricedCall, name: string): number => {
    const found = values.find((each) => each.of === `${call} ${store}` && each.name === name)
    if (found === undefined)
      throw new Error(`The file has no "${name}" of ${call} on ${store}. Make it by: npm run -s bench -- costs --json > costs.json`)
    // A few ticks of the system's clock more or less: nothing costs less than nothing.
    return Math.max(0, found.value)
  }
  const isPostgres = store === 'postgres'
  const entries = pricedCalls.map((call): [PricedCall, CallCost] => [
    call,
    {
      serviceMicros: find(call, 'CPU of the service'),
      databaseMicros: isPostgres ? find(call, 'CPU of PostgreSQL') : 0,
      walBytes: isPostgres ? find(call, 'write-ahead log') : 0,
      storedBytes: find(call, 'stored for years'),
    },
  ])
  return Object.fromEntries(entries) as unknown as CallCosts
}
