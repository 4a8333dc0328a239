import type { Result } from '@tessera/contract/methods'

type Found = Pick<Result<'dashboard.requests.get'>, 'entry' | 'params'>

/** The call as a line of a shell; what is not kept is a placeholder that says what belongs there, and the password a variable. */
export function curlOf({ entry, params }: Found, merchantId: string, origin: string): string {
  const { method, profile, caller } = entry
  if (method === null) return ''
  const body = JSON.stringify({ id: 1, method, params: paramsOf(params) })
  const auth = caller === 'browser' ? `'X-Auth: ${merchantId}'` : `"X-Auth: ${merchantId}:$TESSERA_PASSWORD"`
  const lines = [`curl -sS '${origin}/api${profile === 'spec' ? `/${method}` : ''}'`, `-H ${auth}`, `-d '${body.replaceAll("'", `'\\''`)}'`]
  return lines.join(' \\\n  ')
}

function paramsOf({ list }: Found['params']): object {
  const params: Tree = {}
  for (const { path, value, hidden } of list) {
    if (path.endsWith('*') || hidden === 'unknown') continue
    const [last = '', ...parents] = path.split('.').reverse()
    const place = parents.reverse().reduce<Tree>((at, name) => (at[name] ??= {}) as Tree, params)
    place[last] = hidden !== null ? `<${placeholders[path] ?? path}>` : path === 'token' ? `<token of card ${String(value)}>` : value
  }
  return params
}

interface Tree {
  [name: string]: unknown
}

const placeholders: Readonly<Record<string, string>> = { 'card.number': 'card number', 'card.expire': 'MMYY', code: 'SMS code' }
