/** The part of JSON Schema that the contract uses and the pages describe. */
export type Schema = {
  type?: string
  description?: string
  default?: unknown
  const?: unknown
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  patternProperties?: Readonly<Record<string, Schema>>
  additionalProperties?: boolean | Schema
  anyOf?: readonly Schema[]
  items?: Schema
  minLength?: number
  maxLength?: number
  pattern?: string
  minimum?: number
  maximum?: number
}

/** One member of an object, by its path (`card.number`). */
export type Member = { path: string; type: string; isRequired: boolean; meaning: string }

/** All members of an object schema, each followed by its own members; of an array, those of its elements (`[].amount`). */
export function listMembers(schema: Schema, prefix = ''): Member[] {
  if (schema.items !== undefined) return listMembers(withoutNull(schema.items), `${prefix}[]`)
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const isRequired = schema.required?.includes(name) ?? false
    const inner = withoutNull(member)
    return [{ path, type: describe(member), isRequired, meaning: meaningOf(member, inner) }, ...listMembers(inner, path)]
  })
}

/** A short description of a type, with its limits. */
export function describe(schema: Schema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map((option) => parenthesize(describe(option))).join(' or ')
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.patternProperties !== undefined) return `object of ${Object.values(schema.patternProperties).map(describe).join(', ')}`
  if (schema.type === 'array') return `array of ${schema.items === undefined ? 'anything' : describe(schema.items)}`
  return [schema.type ?? 'anything', ...describeLimits(schema)].join(', ')
}

function parenthesize(type: string): string {
  return / or |, /.test(type) ? `(${type})` : type
}

function describeLimits({ minLength, maxLength, pattern, minimum, maximum }: Schema): string[] {
  return [
    ...(minLength === undefined ? [] : [`at least ${minLength} characters`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(pattern === undefined ? [] : [`\`${pattern}\``]),
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? [] : [`to ${maximum}`]),
  ]
}

/** Returns X for `X or null`. */
function withoutNull(schema: Schema): Schema {
  return schema.anyOf?.find((option) => option.type !== 'null') ?? schema
}

function meaningOf(schema: Schema, inner: Schema): string {
  const meaning = schema.description ?? inner.description ?? ''
  return schema.default === undefined ? meaning : `${meaning} Default: \`${JSON.stringify(schema.default)}\`.`.trim()
}
