import type { DetailedRequestRow } from '../../store/request-log.ts'

/** Calls of one merchant that were not recorded. */
export interface RequestLoss {
  readonly merchantId: string
  readonly bucket: number
  readonly count: number
  readonly from: number
  readonly to: number
  /** Of the last of them: its row takes that id, so that two losses are two rows. */
  readonly requestId: string
}

/** Where records wait for the store. When it is full the oldest is dropped and counted. */
export interface RequestBuffer {
  add(row: DetailedRequestRow): void
  /** Takes the oldest out. */
  take(count: number): DetailedRequestRow[]
  /** Puts records that could not be written back in front; what has no room any more is dropped and counted. */
  putBack(rows: readonly DetailedRequestRow[]): void
  takeLosses(): RequestLoss[]
  putLossesBack(losses: readonly RequestLoss[]): void
  /** How many calls were not recorded since the start. */
  lost(): number
  waiting(): number
}

export interface RequestBufferLimits {
  readonly rowsMax: number
  /** Of the calls that only name a merchant: anybody may send them, and they must not push out the merchant's own. */
  readonly unprovedMax: number
}

export function makeRequestBuffer({ rowsMax, unprovedMax }: RequestBufferLimits): RequestBuffer {
  // `first` is the index of the oldest; the array is cut when half of it is empty.
  let slots: DetailedRequestRow[] = []
  let first = 0
  let unproved = 0
  let lostEver = 0
  const losses = new Map<string, RequestLoss>()
  return Object.freeze<RequestBuffer>({
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

  function push(row: DetailedRequestRow): void {
    if (slots.length - first >= rowsMax) for (const oldest of take(1)) lose(oldest)
    slots.push(row)
    if (row.caller === 'unproved') unproved++
  }

  function take(count: number): DetailedRequestRow[] {
    const taken = slots.slice(first, first + count)
    first += taken.length
    if (first * 2 > slots.length) {
      slots = slots.slice(first)
      first = 0
    }
    for (const { caller } of taken) if (caller === 'unproved') unproved--
    return taken
  }

  function lose({ merchantId, bucket, at, requestId }: DetailedRequestRow): void {
    lostEver++
    addLoss({ merchantId, bucket, count: 1, from: at, to: at, requestId })
  }

  function addLoss(loss: RequestLoss): void {
    const there = losses.get(loss.merchantId)
    // With more merchants than these only the metric counts.
    if (there === undefined && losses.size >= lossesMax) return
    if (there === undefined) return void losses.set(loss.merchantId, loss)
    const { requestId, to } = loss.to >= there.to ? loss : there
    losses.set(loss.merchantId, { ...loss, count: there.count + loss.count, from: Math.min(there.from, loss.from), to, requestId })
  }
}

const lossesMax = 1000
