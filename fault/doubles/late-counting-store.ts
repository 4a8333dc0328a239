import * as real from '../../service/src/store/answers.ts'
import type { Store } from '../../service/src/store/store.ts'

/** A store that reads the counter, decides, and would write it afterwards: all who read before the first write are let through. */
export function makeStore(driver: real.Driver): Store {
  const store = real.makeStore(driver)
  return {
    ...store,
    tryCode: async (attempt) => {
      const row = await store.findVerification(attempt)
      if (row === null || row.tries >= row.triesMax) return { outcome: 'triesUsedUp' }
      return row.sentBy === 'network' ? { outcome: 'askNetwork' } : { outcome: 'wrong' }
    },
  }
}

export type { Driver } from '../../service/src/store/answers.ts'
