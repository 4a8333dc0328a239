import type { Result } from '@tessera/contract/operations'

type LoggedRequest = Pick<Result<'dashboard.requests.get'>, 'entry' | 'params' | 'result'>
type LoggedMember = LoggedRequest['params']['list'][number]

/** What the test environment knows by itself; null in production. */
export interface TestValues {
  readonly cards: readonly { readonly number: string; readonly expire: string }[]
  readonly code: string
}

export interface CurlTarget {
  readonly merchantId: string
  readonly origin: string
  readonly testValues: TestValues | null
}

/**
 * The call as a curl command for a shell. What is not stored and has to be there is a variable that the shell asks for (`${TOKEN:?…}`), or a value of
 * the test environment; what is not stored and may be left out is left out.
 */
export function requestCurl({ entry, params, result }: LoggedRequest, { merchantId, origin, testValues }: CurlTarget): string {
  const { method, profile, caller } = entry
  if (method === null) return ''
  const body = JSON.stringify({ id: 1, method, params: paramsOf({ params, result }, testValues) })
  const auth =
    caller === 'browser' ? `'X-Auth: ${merchantId}'` : `"X-Auth: ${merchantId}:${shellVariable('TESSERA_PASSWORD', 'API password')}"`
  const lines = [`curl -sS '${origin}/api${profile === 'spec' ? `/${method}` : ''}'`, `-H ${auth}`, `-d ${quoteForShell(body)}`]
  return lines.join(' \\\n  ')
}

function paramsOf({ params: { list }, result }: Pick<LoggedRequest, 'params' | 'result'>, testValues: TestValues | null): object {
  const params: JsonTree = {}
  const mask = result.list.find(({ path }) => path === 'card.number')?.value
  for (const member of list) {
    const value = valueOf(member, testValues === null ? null : testValueOf(member, testValues, mask))
    if (value === undefined) continue
    const [last = '', ...parents] = member.path.split('.').reverse()
    const parent = parents.reverse().reduce<JsonTree>((node, name) => (node[name] ??= {}) as JsonTree, params)
    parent[last] = value
  }
  return params
}

/** Undefined: it is left out. */
function valueOf({ path, value, hidden }: LoggedMember, testValue: string | null): unknown {
  if (path.endsWith('*') || hidden === 'unknown') return undefined
  const name = path.replace(/\W/g, '_').toUpperCase()
  if (path === 'token' && hidden === null) return variable('TOKEN', `token, card ${String(value)}`)
  if (path === 'phone') return variable('PHONE', `phone ${String(value ?? '')}`)
  if (path === 'payer.phone') return undefined
  if (hidden === null) return timestampPaths.has(path) && typeof value === 'string' ? Date.parse(value) : value
  if (testValue !== null) return testValue
  return hidden === 'secret' || path.startsWith('account.') ? variable(name, path) : undefined
}

function testValueOf({ path, hidden }: LoggedMember, { cards, code }: TestValues, mask: LoggedMember['value'] | undefined): string | null {
  if (hidden === null) return null
  const ends = typeof mask === 'string' ? [mask.slice(0, 4), mask.slice(-4)] : null
  const card = cards.find(({ number }) => ends === null || (number.startsWith(ends[0] ?? '') && number.endsWith(ends[1] ?? ''))) ?? cards[0]
  if (path === 'card.number') return card?.number ?? null
  if (path === 'card.expire') return card?.expire ?? null
  if (path === 'code') return code
  return path.startsWith('account.') ? 'test-1' : null
}

/** Params that the log has as a date and the API takes as milliseconds. */
export const timestampPaths: ReadonlySet<string> = new Set(['from', 'to', 'consent.at'])

/** Stands in the JSON for a variable of the shell. No value of a request has this character. */
function variable(name: string, meaning: string): string {
  return `\u0001${name}|${meaning}\u0001`
}

function quoteForShell(json: string): string {
  const quoted = json.replaceAll("'", `'\\''`)
  return `'${quoted.replaceAll(/\\u0001(\w+)\|([^\\]*)\\u0001/g, (_, name: string, meaning: string) => `'"${shellVariable(name, meaning)}"'`)}'`
}

/** Without a value the shell says what belongs there, and sends nothing. */
function shellVariable(name: string, meaning: string): string {
  return `\${${name}:?${meaning}}`
}

interface JsonTree {
  [name: string]: unknown
}
