import { RpcError } from '@tessera/contract/errors'
import { operations, type OperationName, type Params } from '@tessera/contract/operations'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

import type { ReadCall } from './call-reader.ts'
import { isEarlier, namePath, throwFault, type RequestFault } from './fault.ts'
import { Members } from './members.ts'

/** Validates the params of a call by the schema of its method. Throws the first fault (-32602, `data` names the member). */
export type ReadParams = <M extends OperationName>(method: M, call: ReadCall, referenceFields?: ReadonlySet<string>) => Params<M>

/** Each schema is compiled with the first call of its method: all of them would be a tenth of the time of a start. */
export function makeReadParams(): ReadParams {
  return <M extends OperationName>(method: M, call: ReadCall, referenceFields: ReadonlySet<string> = noFields) => {
    const withheldFault = releaseWithheld(call, referenceFields)
    const fault = withheldFault !== null && isEarlier(withheldFault.entry, call.paramsFault) ? withheldFault : call.paramsFault
    if (fault !== null) throwFault(fault)
    const schema = schemaOf(method)
    if (!schema.Check(call.params)) throw firstFault(schema, call.params, operations[method].params)
    return call.params as Params<M>
  }
}

const compiledSchemas = new Map<OperationName, Validator>()

function schemaOf(method: OperationName): Validator {
  const compiled = compiledSchemas.get(method)
  if (compiled !== undefined) return compiled
  const schema = Compile(operations[method].params)
  compiledSchemas.set(method, schema)
  return schema
}

/** Puts the withheld values of reference fields back into `account`. A withheld value of another field is a misplaced card number. */
function releaseWithheld({ params, withheld }: ReadCall, referenceFields: ReadonlySet<string>): RequestFault | null {
  const refused = withheld.find(({ field }) => !referenceFields.has(field))
  if (refused !== undefined) return { entry: 'panOutOfPlace', data: namePath(['account', refused.field]) }
  const { account } = params
  for (const { field, bytes, isNumber } of account instanceof Members ? withheld : []) {
    const text = Buffer.from(bytes).toString('utf8')
    if (account instanceof Members) account[field] = isNumber ? Number(text) : text
  }
  return null
}

function firstFault(schema: Validator, params: unknown, shape: TSchema): RpcError {
  const [first] = schema.Errors(params)
  if (first === undefined) throw new Error('a schema rejected params without an error')
  const path = first.instancePath.split('/').slice(1).map(unescapePointer)
  if (first.keyword !== 'required') return new RpcError('memberInvalid', { data: namePath(path) })
  return new RpcError('memberMissing', {
    data: namePath(firstRequiredMember(shape, [...path, ...first.params.requiredProperties.slice(0, 1)])),
  })
}

/** If a whole object is missing, its first required member is named: `card.number` for cards.create without a card (docs/reference/wire.md#cardscreate). */
function firstRequiredMember(shape: TSchema, path: readonly string[]): readonly string[] {
  let at: ObjectShape | undefined = shape
  for (const name of path) at = at?.properties?.[name]
  const [first] = at?.required ?? []
  return first === undefined ? path : firstRequiredMember(shape, [...path, first])
}

/** The part of a schema that says which members an object requires. */
interface ObjectShape {
  readonly properties?: Readonly<Record<string, ObjectShape>>
  readonly required?: readonly string[]
}

const noFields: ReadonlySet<string> = new Set()

/** RFC 6901 §4. */
function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}
