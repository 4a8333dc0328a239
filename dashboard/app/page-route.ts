/** A parsed address: `/dashboard/cards/<id>?search=6311` is page `cards`, rest `['<id>']`, query `search=6311`. */
export interface DashboardRoute {
  readonly page: string
  readonly rest: readonly string[]
  readonly query: URLSearchParams
  /** What may not stand in an address, such as order numbers and customers: kept in the history entry, so that it survives a reload and *back*. */
  readonly hidden: Readonly<Record<string, string>>
  /** The history entry, by a name of its own. */
  readonly entry: string
}

/** In the query of a link whose page needs what may not stand in an address. A click leaves it out; a new tab has it, and nothing hidden. */
export const hiddenMark = 'in-tab'

/** The member of the state of a history entry that names it. */
export const entryMember = '#entry'

/** Reads the path and the query of an address under /dashboard. A segment with invalid percent-encoding is not decoded. */
export function parseRoute(
  { pathname, search }: { readonly pathname: string; readonly search: string },
  historyState: unknown = null,
): DashboardRoute {
  const [, , page = '', ...rest] = pathname.split('/')
  const members = typeof historyState === 'object' && historyState !== null ? Object.entries(historyState) : []
  const texts = members.filter((member): member is [string, string] => typeof member[1] === 'string')
  return {
    page,
    rest: rest.filter((segment) => segment !== '').map(decode),
    query: new URLSearchParams(search),
    hidden: Object.fromEntries(texts.filter(([name]) => name !== entryMember)),
    entry: texts.find(([name]) => name === entryMember)?.[1] ?? '',
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
