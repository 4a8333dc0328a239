import type { ComponentChild } from 'preact'

/** What a merchant gave as JSON, read: an object by its members, an account by the titles of its fields; what is neither, as it is. */
export function GivenFacts({ json }: { json: string }) {
  const facts = readFacts(json)
  if (facts === null) return <pre>{json}</pre>
  return <dl class="given">{facts.map(([name, value], at) => [<dt key={`${at} name`}>{name}</dt>, <dd key={at}>{show(value)}</dd>])}</dl>
}

/** A link only where it is one of the web, so that no other kind comes to life. */
function show(value: string): ComponentChild {
  const isLink = value.startsWith('https://') && URL.parse(value) !== null
  return isLink ? (
    <a href={value} target="_blank" rel="noreferrer noopener">
      {value}
    </a>
  ) : (
    value
  )
}

function readFacts(json: string): (readonly [string, string])[] | null {
  const given = parse(json)
  if (Array.isArray(given)) return given.every(isField) ? given.map(({ title, name, value }) => [title || name, value] as const) : null
  if (typeof given !== 'object' || given === null) return null
  return Object.entries(given).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const)
}

function isField(value: unknown): value is { readonly name: string; readonly title: string; readonly value: string } {
  if (typeof value !== 'object' || value === null) return false
  const field = value as Readonly<Record<string, unknown>>
  return [field['name'], field['title'], field['value']].every((each) => typeof each === 'string')
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return null
  }
}
