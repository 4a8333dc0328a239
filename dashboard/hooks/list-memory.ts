import { effect } from '@preact/signals'

import { session } from '../app/session-state.ts'
import type { ListPage } from './list-pages.ts'

/** The rows of lists by history entry and list, so that *back* shows what was there. In memory alone, and gone when the session ends. */
const lists = new Map<string, ListPage<unknown>>()

export function rememberList(entry: string, key: string, page: ListPage<unknown>): void {
  const name = `${entry} ${key}`
  lists.delete(name)
  lists.set(name, page)
  const [oldest] = lists.keys()
  if (lists.size > listsMax && oldest !== undefined) lists.delete(oldest)
}

/** Null for a list that was not shown at this entry. */
export function recallList<R>(entry: string, key: string): ListPage<R> | null {
  return (lists.get(`${entry} ${key}`) as ListPage<R> | undefined) ?? null
}

effect(() => {
  if (session.value === null) lists.clear()
})

const listsMax = 30
