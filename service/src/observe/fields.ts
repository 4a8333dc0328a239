import { isMethodName } from '@tessera/contract/methods'

import { describeFault } from './fault.ts'

/** What a log line may carry: ids, words and figures. Anything else is dropped, whatever it is. */
export type LogFields = { readonly [name in FieldName]?: unknown } & { readonly [other: string]: unknown }

type FieldName = keyof typeof shapes

/** Takes over the allowed fields that are of their shape; the rest is left out without a word, since the word could be the leak. */
export function allow(fields: LogFields): Record<string, unknown> {
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
  method: (value) => (typeof value === 'string' && isMethodName(value) ? value : undefined),
  profile: text(/^(spec|subscribe)$/),
  merchantId: text(/^[0-9a-f]{24}$/),
  cardId: text(/^[0-9a-f]{24}$/),
  receiptId: text(/^[0-9a-f]{24}$/),
  code: number,
  reason: text(/^[a-z][a-z0-9_]{0,47}$/),
  ms: number,
  bytes: number,
  // A merchant's endpoint.
  deed: text(/^(check|perform|cancel)$/),
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
  attempt: number,
  seconds: number,
  // A migration.
  number,
  name: text(/^[a-z0-9-]{1,48}$/),
  breaking: (value) => (typeof value === 'boolean' ? value : undefined),
  // Keys.
  keyId: text(/^[0-9a-f]{32}$/),
  purpose: text(/^[a-z_]{1,32}$/),
  kek: text(/^[0-9A-Za-z._:-]{1,64}$/),
  // What went wrong: class, code and place, and its message without anything that could be a value.
  err: describeFault,
} as const satisfies Record<string, Shape>

function text(shape: RegExp): Shape {
  return (value) => (typeof value === 'string' && shape.test(value) ? value : undefined)
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < NUMBER_MAX ? Math.round(value * 1000) / 1000 : undefined
}

/** Below the twelve digits of the shortest card number. */
const NUMBER_MAX = 1e11
