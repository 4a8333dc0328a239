import type { Result } from '@tessera/contract/operations'

type LoggedRequest = Pick<Result<'dashboard.requests.get'>, 'entry' | 'params'>

/** The call as a curl command. A value that is not stored becomes a placeholder that says what belongs there, and the password a shell variable. */
export function requestCurl({ entry, params }: LoggedRequest, merchantId: string, origin: string): string {
  const { method, profile, caller } = entry
  if (method === null) return ''
  const body = JSON.stringify({ id: 1, method, params: paramsOf(params) })
  const auth = caller === 'browser' ? `'X-Auth: ${merchantId}'` : `"X-Auth: ${merchantId}:$TESSERA_PASSWORD"`
  const lines = [`curl -sS '${origin}/api${profile === 'spec' ? `/${method}` : ''}'`, `-H ${auth}`, `-d '${body.replaceAll("'", `'\\''`)}'`]
  return lines.join(' \\\n  ')
}

function paramsOf({ list }: LoggedRequest['params']): object {
  const params: JsonTree = {}
  for (const { path, value, hidden } of list) {
    if (path.endsWith('*') || hidden === 'unknown') continue
    const [last = '', ...parents] = path.split('.').reverse()
    const parent = parents.reverse().reduce<JsonTree>((node, name) => (node[name] ??= {}) as JsonTree, params)
    parent[last] = hidden !== null ? `<${placeholders[path] ?? path}>` : path === 'token' ? `<token of card ${String(value)}>` : value
  }
  return params
}

interface JsonTree {
  [name: string]: unknown
}

const placeholders: Readonly<Record<string, string>> = { 'card.number': 'card number', 'card.expire': 'MMYY', code: 'SMS code' }
