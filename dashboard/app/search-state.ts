import { signal } from '@preact/signals'

import type { CommonMessages } from '../messages/en.ts'

/** The names of the pages that the search finds, while the search of the whole dashboard is open; else null. */
export const openSearch = signal<readonly (keyof CommonMessages['pages'])[] | null>(null)

/** What was typed before the field of the search was there. */
export const typedAhead = signal('')

export function closeSearch(): void {
  typedAhead.value = ''
  openSearch.value = null
}
