import type { Row } from '../statement.ts'
import type { Store } from '../store.ts'

/** A store under test, with what lies under it. */
export interface Opened {
  readonly store: Store
  /** Asks the database itself, past the store: to look, and to break. */
  readonly raw: (text: string) => Promise<readonly Row[]>
  /** Closes the store and opens it anew on what is there; the old one is gone then. */
  readonly reopen: () => Promise<Store>
}

/** Runs a test on a store of its own. */
export type WithStore = (test: (opened: Opened) => Promise<void>) => () => Promise<void>
