import { RpcError } from '@tessera/contract/errors'
import { methods, type MethodName, type Params } from '@tessera/contract/methods'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

import type { ReadCall } from './call-reader.ts'
import { namePath, throwFault } from './fault.ts'

/** Reads a call's params by its method's schema; throws the first thing that is wrong with them (-32602, `data` names the member). */
export type ReadParams = <M extends MethodName>(method: M, call: ReadCall) => Params<M>

/** Compiles every schema of the contract, once, at start. */
export function makeReadParams(): ReadParams {
  const schemas = new Map<string, Validator>(Object.entries(methods).map(([name, { params }]) => [name, Compile(params)]))
  return <M extends MethodName>(method: M, call: ReadCall) => {
    if (call.paramsFault !== null) throwFault(call.paramsFault)
    const schema = schemas.get(method)
    if (schema === undefined) throw new Error(`${method} has no schema`)
    if (!schema.Check(call.params)) throw firstFault(schema, call.params, methods[method].params)
    return call.params as Params<M>
  }
}

function firstFault(schema: Validator, params: unknown, shape: TSchema): RpcError {
  const [first] = schema.Errors(params)
  if (first === undefined) throw new Error('a schema refused what it finds nothing wrong with')
  const path = first.instancePath.split('/').slice(1).map(unescapePointer)
  if (first.keyword !== 'required') return new RpcError('memberInvalid', { data: namePath(path) })
  return new RpcError('memberMissing', { data: namePath(firstWithin(shape, [...path, ...first.params.requiredProperties.slice(0, 1)])) })
}

/** Where a whole object is missing, its first needed member is named: of cards.create without a card that is `card.number` (wire §5). */
function firstWithin(shape: TSchema, path: readonly string[]): readonly string[] {
  let at: ObjectShape | undefined = shape
  for (const name of path) at = at?.properties?.[name]
  const [first] = at?.required ?? []
  return first === undefined ? path : firstWithin(shape, [...path, first])
}

/** As much of a schema as says what an object needs. */
interface ObjectShape {
  readonly properties?: Readonly<Record<string, ObjectShape>>
  readonly required?: readonly string[]
}

/** RFC 6901 §4. */
function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}
