import { createShareSet, type ShareSet } from '@tessera/vault/share-set'
import { formatShare, type CustodianShare } from '@tessera/vault/share-text'

/** A new set whose shares custodians take one after another, each at a terminal of their own. Nothing is stored before the last is taken. */
export interface ShareDealing {
  readonly set: ShareSet
  left(): number
  /** The next share, which is forgotten here. */
  take(): { readonly index: number; readonly text: string }
  forget(): void
}

export function dealShares(size: Pick<ShareSet, 'threshold' | 'shares'>, environment: string, now: number): ShareDealing {
  const { set, shares } = createShareSet(size, { environment, now })
  const untaken: CustodianShare[] = [...shares]
  return Object.freeze<ShareDealing>({
    set,
    left: () => untaken.length,
    take() {
      const share = untaken.shift()
      if (share === undefined) throw new Error('every share is taken')
      const text = formatShare(share)
      share.y.fill(0)
      return { index: share.x, text }
    },
    forget() {
      for (const { y } of untaken.splice(0)) y.fill(0)
    },
  })
}
