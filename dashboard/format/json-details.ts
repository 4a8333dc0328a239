/**
 * Names and values of JSON that a merchant sent: the members of an object (a consent, a payer, fiscal data), or the fields of a receipt's account by their
 * titles. Null for anything else.
 */
export function readJsonDetails(json: string): (readonly [name: string, value: string])[] | null {
  const value = parseOrNull(json)
  if (Array.isArray(value))
    return value.every(isAccountField) ? value.map(({ title, name, value }) => [title || name, value] as const) : null
  if (typeof value !== 'object' || value === null) return null
  return Object.entries(value).map(([name, member]) => [name, typeof member === 'string' ? member : JSON.stringify(member)] as const)
}

interface AccountFieldValue {
  readonly name: string
  readonly title: string
  readonly value: string
}

function isAccountField(value: unknown): value is AccountFieldValue {
  if (typeof value !== 'object' || value === null) return false
  const field = value as Readonly<Record<string, unknown>>
  return [field['name'], field['title'], field['value']].every((each) => typeof each === 'string')
}

function parseOrNull(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return null
  }
}
