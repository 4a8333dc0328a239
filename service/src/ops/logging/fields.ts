import { isOperationName } from '@tessera/contract/operations'

import { describeError } from './describe-error.ts'

/** What a log line may have: ids, names and numbers. Anything else is left out. */
export type LogFields = { readonly [name in FieldName]?: unknown } & { readonly [other: string]: unknown }

type FieldName = keyof typeof shapes

/** Returns the allowed fields that are of their shape. The rest is left out without a trace, since the trace could be the leak. */
export function allowFields(fields: LogFields): Record<string, unknown> {
  const allowed: Record<string, unknown> = {}
  for (const name of Object.keys(fields)) {
    const value = fields[name]
    if (value === undefined || value === null || !Object.hasOwn(shapes, name)) continue
    const shown = shapes[name as FieldName](value)
    if (shown !== undefined) allowed[name] = shown
  }
  return allowed
}

type Shape = (value: unknown) => unknown

const shapes = {
  // A call.
  requestId: text(/^[0-9a-f]{24}$/),
  method: (value) => (typeof value === 'string' && isOperationName(value) ? value : undefined),
  profile: text(/^(spec|subscribe)$/),
  merchantId: text(/^[0-9a-f]{24}$/),
  cardId: text(/^[0-9a-f]{24}$/),
  receiptId: text(/^[0-9a-f]{24}$/),
  code: number,
  reason: text(/^[a-z][a-z0-9_]{0,47}$/),
  ms: number,
  bytes: number,
  stage: text(/^(request|reply)$/),
  caller: text(/^(server|browser|unproved)$/),
  table: text(/^[a-z_]{1,32}$/),
  job: text(/^[a-z_]{1,48}$/),
  suppressed: number,
  // An outside system.
  peer: text(/^(network|sms|holder|merchant_endpoint)$/),
  network: text(/^[a-z0-9]{1,32}$/),
  gateway: text(/^[a-z0-9]{1,32}$/),
  bind: text(/^(transceiver|transmitter|receiver)$/),
  // A merchant's endpoint.
  operation: text(/^(check|perform|cancel)$/),
  // A transition of a receipt: its states by number, and its cause in docs/reference/payment-states.md.
  from: number,
  to: number,
  cause: text(/^[a-z][a-z_]{0,31}$/),
  // The service.
  version: text(/^[0-9A-Za-z.+-]{1,32}$/),
  environment: text(/^(test|production)$/),
  durability: text(/^(local|replicated)$/),
  store: text(/^(sqlite|postgres)$/),
  url: text(/^https?:\/\/[0-9A-Za-z.:[\]-]{1,253}$/),
  folder: text(/^[^\0-\x1f]{1,512}$/),
  coreDumps: text(/^(off|on|unknown)$/),
  signal: text(/^SIG[A-Z0-9]{2,10}$/),
  pid: number,
  exitCode: number,
  count: number,
  left: number,
  worker: number,
  workers: number,
  listener: text(/^(api|admin)$/),
  days: number,
  attempt: number,
  seconds: number,
  // The audit.
  destination: text(/^(file|syslog|http)$/),
  chain: text(/^[0-9A-Za-z._:+-]{1,128}$/),
  seq: number,
  fault: text(/^[a-z_]{1,32}$/),
  // The primary on PostgreSQL.
  database: text(/^(cards|keys)$/),
  host: text(/^[0-9A-Za-z.:_/[\]-]{1,253}$/),
  epoch: number,
  timeline: number,
  // A migration.
  number,
  name: text(/^[a-z0-9-]{1,48}$/),
  breaking: (value) => (typeof value === 'boolean' ? value : undefined),
  // Keys, and who had a share of the one that wraps them.
  custodian: text(/^[A-Za-z0-9._-]{1,32}$/),
  keyId: text(/^[0-9a-f]{32}$/),
  purpose: text(/^[a-z_]{1,32}$/),
  set: text(/^[0-9A-HJKMNP-TV-Z]{8}$/),
  node: text(/^[a-z0-9-]{1,32}$/),
  action: text(/^[a-z]{1,16}\.[a-z_]{1,24}$/),
  kek: text(/^[0-9A-Za-z._:-]{1,64}$/),
  // An error: class, code and stack, and its message without values.
  err: describeError,
} as const satisfies Record<string, Shape>

function text(shape: RegExp): Shape {
  return (value) => (typeof value === 'string' && shape.test(value) ? value : undefined)
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < NUMBER_MAX ? Math.round(value * 1000) / 1000 : undefined
}

/** Below the twelve digits of the shortest card number. */
const NUMBER_MAX = 1e11
