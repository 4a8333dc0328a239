import { signal, type ReadonlySignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'

import { asRefused } from '../app/ask.ts'
import type { Refused } from '../app/call.ts'

/** A list that grows page by page. */
export interface Rows<R> {
  /** Null until the first page has come. */
  readonly list: ReadonlySignal<readonly R[] | null>
  readonly next: ReadonlySignal<string | null>
  readonly isBusy: ReadonlySignal<boolean>
  readonly refused: ReadonlySignal<Refused | null>
  more(): void
  /** From the first page on. */
  again(): void
  /** For `useLive`: puts what has come since above what is there. Nothing while an answer is on its way. */
  renew(keyOf: (row: R) => string): void
}

export interface Page<R> {
  readonly rows: readonly R[]
  readonly next: string | null
}

/**
 * Asks for a list by keyset, the first page at once and anew when `key` changes. A page that comes after the list has moved on is forgotten.
 *
 *     const rows = useRows(search, async (after) => {
 *       const { cards, next } = await call('dashboard.cards.list', { search, after })
 *       return { rows: cards, next }
 *     })
 */
export function useRows<R>(key: string, ask: (after: string | null) => Promise<Page<R>>): Rows<R> {
  const rows = useMemo(() => makeRows(ask), [key])
  useEffect(() => {
    rows.again()
    return rows.forget
  }, [rows])
  return rows
}

function makeRows<R>(ask: (after: string | null) => Promise<Page<R>>): Rows<R> & { forget: () => void } {
  const list = signal<readonly R[] | null>(null)
  const next = signal<string | null>(null)
  const isBusy = signal(false)
  const refused = signal<Refused | null>(null)
  let turn = 0
  let isAsking = false
  async function load(after: string | null, join: (come: Page<R>, there: Page<R>) => Page<R>): Promise<void> {
    const mine = ++turn
    isAsking = true
    try {
      const come = await ask(after)
      if (mine !== turn) return
      const joined = join(come, { rows: list.value ?? [], next: next.value })
      list.value = joined.rows
      next.value = joined.next
      refused.value = null
    } catch (err) {
      if (mine === turn) refused.value = asRefused(err)
    } finally {
      if (mine === turn) isBusy.value = isAsking = false
    }
  }
  return {
    ...{ list, next, isBusy, refused },
    more() {
      isBusy.value = true
      void load(next.value, (come, there) => ({ rows: [...there.rows, ...come.rows], next: come.next }))
    },
    again() {
      isBusy.value = true
      void load(null, (come) => come)
    },
    renew(keyOf) {
      if (!isAsking) void load(null, (come, there) => joinAbove(come, there, keyOf))
    },
    forget() {
      turn++
    },
  }
}

/**
 * A new first page above what "More" has brought. It stands alone where the two do not meet, as rows between them are missing, and when the list
 * gets too long.
 */
function joinAbove<R>(come: Page<R>, there: Page<R>, keyOf: (row: R) => string): Page<R> {
  if (come.next === null) return come
  const last = come.rows.at(-1)
  // An empty page that has a next one: nothing new was found so far.
  if (last === undefined) return there
  const meetsAt = there.rows.findIndex((row) => keyOf(row) === keyOf(last))
  if (meetsAt === -1 || come.rows.length + there.rows.length > joinedMax) return come
  return { rows: [...come.rows, ...there.rows.slice(meetsAt + 1)], next: there.next }
}

const joinedMax = 2000
