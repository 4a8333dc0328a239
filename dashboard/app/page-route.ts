/** A parsed address: `/dashboard/cards/<id>?search=6311` is page `cards`, rest `['<id>']`, query `search=6311`. */
export interface DashboardRoute {
  readonly page: string
  readonly rest: readonly string[]
  readonly query: URLSearchParams
}

/** Reads the path and the query of an address under /dashboard. A segment with invalid percent-encoding is not decoded. */
export function parseRoute({ pathname, search }: { readonly pathname: string; readonly search: string }): DashboardRoute {
  const [, , page = '', ...rest] = pathname.split('/')
  return { page, rest: rest.filter((segment) => segment !== '').map(decode), query: new URLSearchParams(search) }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
