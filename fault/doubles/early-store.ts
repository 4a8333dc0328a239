import * as real from '../../service/src/store/answers.ts'
import type { Store } from '../../service/src/store/store.ts'

/** A store that says "kept" of a new card some time before COMMIT: what a kill -9 must bring to light. */
export function makeStore(driver: real.Driver): Store {
  const store = real.makeStore(driver)
  return {
    ...store,
    insertCard: async (card, audit) => {
      setTimeout(() => void store.insertCard(card, audit).catch(() => undefined), earlyMs)
    },
  }
}

export type { Driver } from '../../service/src/store/answers.ts'

const earlyMs = 20
