import type { Row } from '../statement.ts'
import type { Store } from '../store.ts'

/** A store under test, with access to its database. */
export interface StoreUnderTest {
  readonly store: Store
  /** Runs SQL on the database directly, to inspect or damage it. */
  readonly raw: (text: string) => Promise<readonly Row[]>
  /** Closes the store and opens it again on the same data. */
  readonly reopen: () => Promise<Store>
}

/** Runs a test on a store of its own. */
export type WithStore = (test: (opened: StoreUnderTest) => Promise<void>) => () => Promise<void>
