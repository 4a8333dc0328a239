import Type, { type Static } from 'typebox'

import type { MethodEntry } from './method-entry.ts'
import { cardMethods } from './methods.cards.ts'
import { formMethods } from './methods.form.ts'
import { receiptMethods } from './methods.receipts.ts'

export type { Caller, MethodEntry } from './method-entry.ts'
export type { CardOnWire } from './methods.cards.ts'

/** The whole API: what is asked, what is answered. The OpenRPC document and the reference pages are printed from here. */
export const methods = {
  ...cardMethods,
  ...receiptMethods,
  ...formMethods,
  'rpc.discover': {
    summary: 'Gives this API as an OpenRPC document.',
    description: 'Printed from the contract that the service runs by. Needs no X-Auth.',
    caller: 'nobody',
    mutates: false,
    params: Type.Object({}),
    result: Type.Object({
      openrpc: Type.String(),
      info: Type.Object({ title: Type.String(), version: Type.String() }),
      methods: Type.Array(Type.Unknown()),
    }),
    errors: [],
    example: { params: {}, result: { openrpc: '1.3.2', info: { title: 'Tessera', version: '0.1.0' }, methods: [] } },
  },
} as const satisfies Record<string, MethodEntry>

export type MethodName = keyof typeof methods
export type Params<M extends MethodName> = Static<(typeof methods)[M]['params']>
export type Result<M extends MethodName> = Static<(typeof methods)[M]['result']>

/** The names, as a set that knows nothing of `toString` and its kin. */
export const methodNames: ReadonlySet<string> = new Set(Object.keys(methods))

export function isMethodName(name: string): name is MethodName {
  return methodNames.has(name)
}
