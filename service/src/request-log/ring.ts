import type { WholeRequestRow } from '../store/store.ts'

/** Calls of one merchant that were not recorded. */
export interface Loss {
  readonly merchantId: string
  readonly bucket: number
  readonly count: number
  readonly from: number
  readonly to: number
  /** Of the last of them: its row takes that id, so that two losses are two rows. */
  readonly requestId: string
}

/** Where records wait for the store. When it is full the oldest goes, and is counted. */
export interface Ring {
  add(row: WholeRequestRow): void
  /** Takes the oldest out. */
  take(count: number): WholeRequestRow[]
  /** Puts what could not be written back in front; what has no room any more is counted. */
  putBack(rows: readonly WholeRequestRow[]): void
  takeLosses(): Loss[]
  putLossesBack(losses: readonly Loss[]): void
  /** How many calls were not recorded since the start. */
  lost(): number
  waiting(): number
}

export interface RingFigures {
  readonly rowsMax: number
  /** Of those that only named a merchant: anybody may send them, and they may not push out the merchant's own. */
  readonly unprovedMax: number
}

export function makeRing({ rowsMax, unprovedMax }: RingFigures): Ring {
  // A slot is taken out in front by its index; the array is cut when half of it is empty.
  let slots: WholeRequestRow[] = []
  let first = 0
  let unproved = 0
  let lostEver = 0
  const losses = new Map<string, Loss>()
  return Object.freeze<Ring>({
    add(row) {
      if (row.caller === 'unproved' && unproved >= unprovedMax) {
        lose(row)
        return
      }
      push(row)
    },
    take,
    putBack(rows) {
      const room = Math.max(0, rowsMax - (slots.length - first))
      const kept = rows.slice(Math.max(0, rows.length - room))
      for (const row of rows.slice(0, rows.length - kept.length)) lose(row)
      for (const { caller } of kept) if (caller === 'unproved') unproved++
      slots = [...kept, ...slots.slice(first)]
      first = 0
    },
    takeLosses() {
      const taken = [...losses.values()]
      losses.clear()
      return taken
    },
    putLossesBack(taken) {
      for (const loss of taken) addLoss(loss)
    },
    lost: () => lostEver,
    waiting: () => slots.length - first,
  })

  function push(row: WholeRequestRow): void {
    if (slots.length - first >= rowsMax) for (const oldest of take(1)) lose(oldest)
    slots.push(row)
    if (row.caller === 'unproved') unproved++
  }

  function take(count: number): WholeRequestRow[] {
    const taken = slots.slice(first, first + count)
    first += taken.length
    if (first * 2 > slots.length) {
      slots = slots.slice(first)
      first = 0
    }
    for (const { caller } of taken) if (caller === 'unproved') unproved--
    return taken
  }

  function lose({ merchantId, bucket, at, requestId }: WholeRequestRow): void {
    lostEver++
    addLoss({ merchantId, bucket, count: 1, from: at, to: at, requestId })
  }

  function addLoss(loss: Loss): void {
    const there = losses.get(loss.merchantId)
    // Of more merchants than these only the metric tells.
    if (there === undefined && losses.size >= lossesMax) return
    if (there === undefined) return void losses.set(loss.merchantId, loss)
    const { requestId, to } = loss.to >= there.to ? loss : there
    losses.set(loss.merchantId, { ...loss, count: there.count + loss.count, from: Math.min(there.from, loss.from), to, requestId })
  }
}

const lossesMax = 1000
