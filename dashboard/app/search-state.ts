import { signal } from '@preact/signals'

import type { CommonMessages } from '../messages/en.ts'

/** The names of the pages that the search finds, while the search of the whole dashboard is open; else null. */
export const openSearch = signal<readonly (keyof CommonMessages['pages'])[] | null>(null)

export function closeSearch(): void {
  openSearch.value = null
}
