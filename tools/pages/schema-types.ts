import type { Schema } from './schema.ts'

/** Schemas that are printed by their name, by identity. */
export type NamedTypes = ReadonlyMap<Schema, string>

/** The position of a type: its indentation, and whether it is part of params or of a result. */
export type TypePosition = { readonly named: NamedTypes; readonly depth: number; readonly isParams?: boolean }

/** A JSON schema as a TypeScript type; descriptions become its comments. */
export function printType(schema: Schema, position: TypePosition): string {
  const name = position.named.get(schema)
  if (name !== undefined) return name
  if (schema.anyOf !== undefined) return printUnion(schema.anyOf, position)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.patternProperties !== undefined) {
    const [value = {}] = Object.values(schema.patternProperties)
    return `Readonly<Record<string, ${printType(value, position)}>>`
  }
  if (schema.type === 'array') return `readonly ${printItem(schema.items ?? {}, position)}[]`
  if (schema.type === 'object') return printObject(schema, position)
  return simpleTypes[schema.type ?? 'anything'] ?? 'unknown'
}

/** The members of an object, one per line. */
function printObject(schema: Schema, position: TypePosition): string {
  const members = Object.entries(schema.properties ?? {})
  if (members.length === 0) return position.isParams === true ? 'object' : 'Readonly<Record<string, unknown>>'
  const inner = { ...position, depth: position.depth + 1 }
  const indent = '  '.repeat(inner.depth)
  const lines = members.map(([name, member]) => {
    const isRequired = schema.required?.includes(name) ?? false
    const type = printType(member, inner)
    const meaning = meaningOf(member)
    return [
      ...(meaning === null ? [] : [`${indent}/** ${meaning} */`]),
      `${indent}readonly ${name}${isRequired ? '' : '?'}: ${type}${!isRequired && position.isParams === true ? ' | undefined' : ''}`,
    ].join('\n')
  })
  return `{\n${lines.join('\n')}\n${'  '.repeat(position.depth)}}`
}

function printUnion(options: readonly Schema[], position: TypePosition): string {
  const types = [...new Set(options.map((option) => printType(option, position)))]
  return types.includes('unknown') ? 'unknown' : types.join(' | ')
}

/** The description of a member: its own, or that of its only type besides null. */
function meaningOf(schema: Schema): string | null {
  return schema.description ?? schema.anyOf?.find(({ type }) => type !== 'null')?.description ?? null
}

function printItem(schema: Schema, position: TypePosition): string {
  const type = printType(schema, position)
  return schema.anyOf === undefined || position.named.has(schema) ? type : `(${type})`
}

const simpleTypes: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}
