import { retryableErrors, type ErrorEntry, type ErrorName } from '@tessera/contract/errors'
import type { PublicOperation } from '@tessera/contract/operations'
import { printType, type NamedTypes } from './schema-types.ts'
import type { Schema } from './schema.ts'

/** What `client/src/wire.ts` is printed from: the parts of the contract that are written with the schema library, which the client does not depend on. */
export type ClientTypesInput = {
  readonly methods: Readonly<Record<string, PublicOperation>>
  readonly errors: Readonly<Record<ErrorName, ErrorEntry>>
  /** Schemas that get a name of their own, by identity. */
  readonly named: NamedTypes
}

/** Prints the types and tables of the server-side library. Pure: the same contract prints the same text. */
export function printClientTypes({ methods, errors, named }: ClientTypesInput): string {
  const offered = Object.entries(methods).filter(([, entry]) => entry.caller !== 'browser')
  const blocks = [
    '// Printed from contract/src by `npm run docs`.',
    ...[...named].map(([schema, name]) => printNamed(name, schema, named)),
    printMethods(offered, named),
    'export type MethodName = keyof Methods',
    printTable(offered),
    printReasons(errors),
    printRetryable(errors),
    sharedDefinitions,
  ]
  return blocks.join('\n\n') + '\n'
}

function printNamed(name: string, schema: Schema, named: NamedTypes): string {
  const inside = new Map([...named].filter(([other]) => other !== schema))
  return `${comment(schema.description ?? `A ${name.toLowerCase()} as the service returns it.`)}export interface ${name} ${printType(schema, { named: inside, depth: 0 })}`
}

function printMethods(offered: readonly [string, PublicOperation][], named: NamedTypes): string {
  const rows = offered.map(([name, entry]) => {
    const params = printType(entry.params, { named, depth: 2, isParams: true })
    return `  /** ${entry.summary} */\n  '${name}': {\n    params: ${params}\n    result: ${printType(entry.result, { named, depth: 2 })}\n  }`
  })
  return `/** The methods of a server, with their params and results; those of the browser are left out. */\nexport interface Methods {\n${rows.join('\n')}\n}`
}

function printTable(offered: readonly [string, PublicOperation][]): string {
  const rows = offered.map(([name, { mutates }]) => `  '${name}': { mutates: ${String(mutates)} },`)
  return `/** Whether a method changes data: such a call carries an idempotency key. */\nexport const methodTable: { readonly [M in MethodName]: { readonly mutates: boolean } } = {\n${rows.join('\n')}\n}`
}

function printReasons(errors: Readonly<Record<ErrorName, ErrorEntry>>): string {
  const reasons = [...new Set(Object.values(errors).map(({ reason }) => reason))]
  return `/** Stable identifiers of the causes of errors; docs/reference/errors.md describes each. */\nexport const reasons = [\n${printList(reasons)}\n] as const\n\nexport type Reason = (typeof reasons)[number]`
}

function printRetryable(errors: Readonly<Record<ErrorName, ErrorEntry>>): string {
  const retryable = retryableErrors.map((name) => errors[name].reason)
  return `/** The same call may succeed a little later. */\nexport const retryableReasons: readonly Reason[] = [\n${printList(retryable)}\n]`
}

/** States and events need no schema: the library has the contract's own, bundled into it. */
const sharedDefinitions = `export { receiptStates, type ReceiptState } from '@tessera/contract/receipt'
export { eventTypes, type CardEvent, type EventType, type PageChange, type PageEvent, type ReceiptEvent, type WebhookEvent } from '@tessera/contract/event'`

/** Quoted strings, as many as fit on a line. */
function printList(values: readonly string[]): string {
  const lines = values.reduce<string[]>((filled, value) => {
    const last = filled.at(-1)
    const isFull = last === undefined || last.length + value.length + 4 > lineLengthMax
    return isFull ? [...filled, `  '${value}',`] : [...filled.slice(0, -1), `${last} '${value}',`]
  }, [])
  return lines.join('\n')
}

const lineLengthMax = 140

function comment(text: string): string {
  return `/** ${text} */\n`
}
