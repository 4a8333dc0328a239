import { signal, type ReadonlySignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'

import { route } from '../app/router.ts'
import type { DashboardCallError } from '../app/api.ts'
import { recallList, rememberList } from './list-memory.ts'
import { mergeFirstPage, type ListPage } from './list-pages.ts'
import { showOrRepeat } from './show-or-repeat.ts'

/** A list that is loaded page by page. */
export interface PagedList<R> {
  /** Its rows are those of before *back*. */
  readonly isRecalled: boolean
  /** Null until the first page has arrived. */
  readonly rows: ReadonlySignal<readonly R[] | null>
  /** The cursor of the next page, or null at the end. */
  readonly next: ReadonlySignal<string | null>
  readonly isLoading: ReadonlySignal<boolean>
  readonly error: ReadonlySignal<DashboardCallError | null>
  loadMore(): void
  /** Starts over at the first page. */
  reload(): void
  /** For `usePolling`: puts rows that are new above the present ones. Does nothing while a call is in flight. */
  refreshTop(keyOf: (row: R) => string): void
}

/**
 * Loads a keyset-paginated list: the first page at once, and from the start whenever `key` changes. A page that arrives after that is dropped. `key` is the
 * list's own within its page. After *back*, the rows that were there are shown at once, and `DataTable` refreshes the newest of them.
 *
 *     const list = usePagedList(`cards ${search}`, async (after) => {
 *       const { cards, next } = await call('dashboard.cards.list', { search, after })
 *       return { rows: cards, next }
 *     })
 */
export function usePagedList<R>(key: string, fetchPage: (after: string | null) => Promise<ListPage<R>>): PagedList<R> {
  const list = useMemo(() => {
    const { entry } = route.peek()
    return { entry, ...createPagedList(fetchPage, recallList<R>(entry, key)) }
  }, [key])
  useEffect(() => {
    if (!list.isRecalled) list.reload()
    return () => {
      list.cancel()
      if (list.rows.peek() !== null) rememberList(list.entry, key, { rows: list.rows.peek() ?? [], next: list.next.peek() })
    }
  }, [list])
  return list
}

function createPagedList<R>(
  fetchPage: (after: string | null) => Promise<ListPage<R>>,
  recalled: ListPage<R> | null,
): PagedList<R> & { cancel: () => void } {
  const rows = signal<readonly R[] | null>(recalled?.rows ?? null)
  const next = signal<string | null>(recalled?.next ?? null)
  const isLoading = signal(false)
  const error = signal<DashboardCallError | null>(null)
  let latestCall = 0
  let isInFlight = false
  async function load(after: string | null, merge: (page: ListPage<R>, present: ListPage<R>) => ListPage<R>): Promise<void> {
    const thisCall = ++latestCall
    isInFlight = true
    try {
      const page = await fetchPage(after)
      if (thisCall !== latestCall) return
      const merged = merge(page, { rows: rows.value ?? [], next: next.value })
      rows.value = merged.rows
      next.value = merged.next
      error.value = null
    } catch (err) {
      if (thisCall === latestCall) showOrRepeat(error, err, () => thisCall === latestCall && load(after, merge))
    } finally {
      if (thisCall === latestCall) isLoading.value = isInFlight = false
    }
  }
  return {
    isRecalled: recalled !== null,
    rows,
    next,
    isLoading,
    error,
    loadMore() {
      isLoading.value = true
      void load(next.value, (page, present) => ({ rows: [...present.rows, ...page.rows], next: page.next }))
    },
    reload() {
      isLoading.value = true
      void load(null, (page) => page)
    },
    refreshTop(keyOf) {
      if (!isInFlight) void load(null, (page, present) => mergeFirstPage(page, present, keyOf))
    },
    cancel() {
      latestCall++
    },
  }
}
