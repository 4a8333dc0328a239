/** A page of a keyset-paginated list, with the cursor of the next page, or null at the end. */
export interface ListPage<R> {
  readonly rows: readonly R[]
  readonly next: string | null
}

/**
 * Puts a new first page above the rows that "More" has loaded. The new page replaces them when the two do not overlap, because rows between them are missing
 * then, and when the list would become too long.
 */
export function mergeFirstPage<R>(page: ListPage<R>, present: ListPage<R>, keyOf: (row: R) => string): ListPage<R> {
  if (page.next === null) return page
  const last = page.rows.at(-1)
  // An empty page that has a next one: the search has found nothing new so far.
  if (last === undefined) return present
  const overlapsAt = present.rows.findIndex((row) => keyOf(row) === keyOf(last))
  if (overlapsAt === -1 || page.rows.length + present.rows.length > maxMergedRows) return page
  // What has moved up, such as a customer who has paid again, stays in one place.
  const onPage = new Set(page.rows.map(keyOf))
  const below = present.rows.slice(overlapsAt + 1).filter((row) => !onPage.has(keyOf(row)))
  return { rows: [...page.rows, ...below], next: present.next }
}

const maxMergedRows = 2000

/** Fetches a list from its beginning until its end or until there are `maxRows`. `isComplete` tells which. */
export async function collectPages<R>(
  fetchPage: (after: string | null) => Promise<ListPage<R>>,
  maxRows: number,
  onPage: (count: number) => void = () => undefined,
): Promise<{ readonly rows: readonly R[]; readonly isComplete: boolean }> {
  const collected: R[] = []
  let after: string | null = null
  do {
    const { rows, next }: ListPage<R> = await fetchPage(after)
    collected.push(...rows)
    after = next
    onPage(collected.length)
  } while (after !== null && collected.length < maxRows)
  return { rows: collected, isComplete: after === null }
}
