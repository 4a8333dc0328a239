/** A bounded number of calls that may wait for an outside system at the same time, of which no merchant can take all. */
export interface PlacePool {
  readonly max: number
  readonly inFlight: number
  /** Why there is no place for another call of this merchant; null if there is one. */
  findRefusal(merchantId: string | null): PlaceRefusal | null
  /** Takes a place until the returned function is called. */
  take(merchantId: string | null): () => void
}

/** `full`: all places are taken. `share`: the merchant has its share of them. */
export type PlaceRefusal = 'full' | 'share'

export interface PlacePoolOptions {
  readonly max: number
  /** The most that one merchant may hold, however many are free. */
  readonly maxPerMerchant?: number
}

/**
 * A merchant may hold at most twice as many places as are free: one that is alone two thirds of them, each of two two fifths. So something is left for the
 * others however many calls it makes, and no number of merchants has to be configured (the dynamic thresholds of switches, Choudhury and Hahne 1998).
 * Calls of the service itself, with merchantId null, have no share.
 */
export function makePlacePool({ max, maxPerMerchant = max }: PlacePoolOptions): PlacePool {
  const held = new Map<string, number>()
  let inFlight = 0

  return Object.freeze({
    max,
    get inFlight() {
      return inFlight
    },
    findRefusal(merchantId: string | null) {
      if (inFlight >= max) return 'full'
      if (merchantId === null) return null
      const own = held.get(merchantId) ?? 0
      return own >= Math.min(maxPerMerchant, placesPerFreePlace * (max - inFlight)) ? 'share' : null
    },
    take(merchantId: string | null) {
      inFlight++
      if (merchantId !== null) held.set(merchantId, (held.get(merchantId) ?? 0) + 1)
      return () => {
        inFlight--
        if (merchantId === null) return
        const left = (held.get(merchantId) ?? 1) - 1
        if (left > 0) held.set(merchantId, left)
        else held.delete(merchantId)
      }
    },
  })
}

/** At most half of the places of another pool, of each merchant's too. They are taken there as well, so that the other half is left for its own calls. */
export function makeHalfPool(whole: PlacePool, { max, maxPerMerchant = max }: PlacePoolOptions): PlacePool {
  const half = makePlacePool({ max: halfOf(max), maxPerMerchant: halfOf(maxPerMerchant) })
  return Object.freeze({
    max: half.max,
    get inFlight() {
      return half.inFlight
    },
    findRefusal: (merchantId: string | null) => whole.findRefusal(merchantId) ?? half.findRefusal(merchantId),
    take(merchantId: string | null) {
      const leaves = [whole.take(merchantId), half.take(merchantId)]
      return () => leaves.forEach((leave) => leave())
    },
  })
}

function halfOf(places: number): number {
  return Math.max(1, Math.floor(places / 2))
}

const placesPerFreePlace = 2
