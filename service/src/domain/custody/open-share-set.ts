import type { KeyObject } from 'node:crypto'

import { adoptShareKek, type ShareKek, type ShareSet } from '@tessera/vault/share-set'

/** A KEK in shares that is open, and its key. */
export interface OpenShareSet {
  readonly set: ShareSet
  readonly key: KeyObject
}

/** The KEK of a set that is open elsewhere in this process. Null when the key is not that of the set. */
export function adoptOpenSet({ set, key }: OpenShareSet, environment: string): ShareKek | null {
  const raw = key.export()
  try {
    return adoptShareKek(set, environment, raw)
  } finally {
    raw.fill(0)
  }
}
