import type * as real from '../../service/src/domain/freshness/chain-follower.ts'
import { ObjectVersions } from '../../service/src/domain/freshness/object-versions.ts'

// Loaded in place of a whole module (planted-faults.ts), so it is one.

/** Follows nothing and knows no version: what the service was without freshness. */
function followNothing(): Promise<real.ChainFollower> {
  const done = (): Promise<void> => Promise.resolve()
  return Promise.resolve({
    versions: new ObjectVersions(),
    isRecent: () => false,
    catchUp: done,
    runOnce: () => Promise.resolve(0),
    close: done,
  })
}

export { followNothing as openChainFollower }
