import { isOperationName } from '@tessera/contract/operations'
import { isId } from '@tessera/vault/id'

import { describeError } from './describe-error.ts'

/** What a log line may have: ids, names and numbers. Anything else is left out. */
export type LogFields = { readonly [name in FieldName]?: unknown } & { readonly [other: string]: unknown }

type FieldName = keyof typeof shapes

/**
 * The allowed fields that are of their shape, as the members of a JSON object. The rest is left out without a trace, since the trace could be the leak. Most
 * shapes have nothing to escape, so that the members are put together without an object and JSON.stringify: 1 µs less in the line of a call.
 */
export function formatFields(fields: LogFields): string {
  let members = ''
  for (const name of Object.keys(fields)) {
    const value = fields[name]
    if (value === undefined || value === null) continue
    const shown = shapesByName.get(name)?.(value)
    if (shown !== undefined) members += `${members === '' ? '' : ','}"${name}":${shown}`
  }
  return members
}

/** The JSON of a value; undefined for one that is not shown. */
type Shape = (value: unknown) => string | undefined

const shapes = {
  // A call.
  requestId: id,
  method: (value) => (typeof value === 'string' && isOperationName(value) ? `"${value}"` : undefined),
  profile: (value) => (value === 'spec' || value === 'subscribe' ? `"${value}"` : undefined),
  merchantId: id,
  cardId: id,
  receiptId: id,
  code: number,
  reason: text(/^[a-z][a-z0-9_]{0,47}$/),
  ms: number,
  bytes: number,
  stage: text(/^(request|reply)$/),
  caller: text(/^(server|browser|unproved)$/),
  table: text(/^[a-z_]{1,32}$/),
  job: text(/^[a-z_]{1,48}$/),
  suppressed: number,
  // The line that the tripwire masked, by its event.
  inEvent: text(/^[a-z][a-z0-9_]{0,47}$/),
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
  folder: (value) => (typeof value === 'string' && /^[^\0-\x1f]{1,512}$/.test(value) ? JSON.stringify(value) : undefined),
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
  breaking: (value) => (typeof value === 'boolean' ? String(value) : undefined),
  // Keys, and who had a share of the one that wraps them.
  custodian: text(/^[A-Za-z0-9._-]{1,32}$/),
  keyId: text(/^[0-9a-f]{32}$/),
  purpose: text(/^[a-z_]{1,32}$/),
  set: text(/^[0-9A-HJKMNP-TV-Z]{8}$/),
  node: text(/^[a-z0-9-]{1,32}$/),
  action: text(/^[a-z]{1,16}\.[a-z_]{1,24}$/),
  kek: text(/^[0-9A-Za-z._:-]{1,64}$/),
  // An error: class, code and stack, and its message without values.
  err: (value) => JSON.stringify(describeError(value)),
} as const satisfies Record<string, Shape>

const shapesByName: ReadonlyMap<string, Shape> = new Map(Object.entries(shapes))

/** Of a shape without quotation marks, backslashes and control characters. */
function text(shape: RegExp): Shape {
  return (value) => (typeof value === 'string' && shape.test(value) ? `"${value}"` : undefined)
}

function id(value: unknown): string | undefined {
  return typeof value === 'string' && isId(value) ? `"${value}"` : undefined
}

function number(value: unknown): string | undefined {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < NUMBER_MAX
    ? String(Math.round(value * 1000) / 1000)
    : undefined
}

/** Below the twelve digits of the shortest card number. */
const NUMBER_MAX = 1e11
