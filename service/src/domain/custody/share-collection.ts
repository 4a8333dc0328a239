import { openShareSet, type ShareKek, type ShareSet } from '@tessera/vault/share-set'
import type { CustodianShare } from '@tessera/vault/share-text'

/** The shares of one set that custodians have entered so far. They are wiped when the KEK is open, the time is over, or they do not fit. */
export interface ShareCollection {
  received(): number
  has(index: number): boolean
  /** Takes a share that it does not have; the collection wipes it. `wrong`: together they are not the set's, and all are forgotten. */
  add(share: CustodianShare): 'incomplete' | 'wrong' | ShareKek
  forget(): void
}

export function makeShareCollection(set: ShareSet, environment: string): ShareCollection {
  const shares = new Map<number, CustodianShare>()
  return Object.freeze<ShareCollection>({ received: () => shares.size, has: (index) => shares.has(index), add, forget })

  function add(share: CustodianShare): 'incomplete' | 'wrong' | ShareKek {
    shares.set(share.x, share)
    if (shares.size < set.threshold) return 'incomplete'
    try {
      return openShareSet(set, environment, [...shares.values()]) ?? 'wrong'
    } finally {
      forget()
    }
  }

  function forget(): void {
    for (const { y } of shares.values()) y.fill(0)
    shares.clear()
  }
}
