/** Which call of the API a URL means. */
export interface Target {
  /** What follows `/api/`, exactly as it stands: nothing is decoded. Null at `/api` and `/api/`. */
  readonly segment: string | null
  readonly hasQuery: boolean
}

/** Reads the target of the request line; null when it is none of the API's. `/api/<one segment>` always is, whatever the segment. */
export function readTarget(url: string): Target | null {
  if (!url.startsWith('/api')) return null
  const query = url.indexOf('?')
  const hasQuery = query >= 0
  const path = hasQuery ? url.slice(0, query) : url
  if (path === '/api' || path === '/api/') return { segment: null, hasQuery }
  const segment = path.slice('/api/'.length)
  return path.startsWith('/api/') && !segment.includes('/') ? { segment, hasQuery } : null
}
