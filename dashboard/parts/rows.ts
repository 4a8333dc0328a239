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
  async function load(after: string | null): Promise<void> {
    const mine = ++turn
    isBusy.value = true
    try {
      const page = await ask(after)
      if (mine !== turn) return
      list.value = after === null ? page.rows : [...(list.value ?? []), ...page.rows]
      next.value = page.next
      refused.value = null
    } catch (err) {
      if (mine === turn) refused.value = asRefused(err)
    } finally {
      if (mine === turn) isBusy.value = false
    }
  }
  return {
    ...{ list, next, isBusy, refused },
    more: () => void load(next.value),
    again: () => void load(null),
    forget() {
      turn++
    },
  }
}
