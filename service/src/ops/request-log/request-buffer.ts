import type { DetailedRequestRow } from '../../store/request-log.ts'

/** Calls of one merchant that were not recorded. */
export interface RequestLoss {
  readonly merchantId: string
  readonly bucket: number
  readonly count: number
  readonly from: number
  readonly to: number
  /** The request id of the last lost call. The row of the loss gets this id, so that each loss has its own row. */
  readonly requestId: string
}

/** Records that wait to be written. When the buffer is full, the oldest record is dropped and counted. */
export interface RequestBuffer {
  add(row: DetailedRequestRow): void
  /** Removes and returns the oldest records. */
  take(count: number): DetailedRequestRow[]
  /** Returns records that could not be written to the front; those that no longer fit are dropped and counted. */
  putBack(rows: readonly DetailedRequestRow[]): void
  takeLosses(): RequestLoss[]
  putLossesBack(losses: readonly RequestLoss[]): void
  /** The number of calls that were not recorded since the start. */
  lost(): number
  waiting(): number
}

export interface RequestBufferLimits {
  readonly rowsMax: number
  /** For unauthenticated calls that only name a merchant: anyone can send them, and they must not displace the merchant's own. */
  readonly unprovedMax: number
}

export function makeRequestBuffer({ rowsMax, unprovedMax }: RequestBufferLimits): RequestBuffer {
  // `first` is the index of the oldest record; the array is compacted when half of it is empty.
  let slots: DetailedRequestRow[] = []
  let first = 0
  let unproved = 0
  let lostTotal = 0
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
      const retained = rows.slice(Math.max(0, rows.length - room))
      for (const row of rows.slice(0, rows.length - retained.length)) lose(row)
      for (const { caller } of retained) if (caller === 'unproved') unproved++
      slots = [...retained, ...slots.slice(first)]
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
    lost: () => lostTotal,
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
    lostTotal++
    addLoss({ merchantId, bucket, count: 1, from: at, to: at, requestId })
  }

  function addLoss(loss: RequestLoss): void {
    const existing = losses.get(loss.merchantId)
    // Losses of further merchants are counted by the metric only.
    if (existing === undefined && losses.size >= lossesMax) return
    if (existing === undefined) return void losses.set(loss.merchantId, loss)
    const { requestId, to } = loss.to >= existing.to ? loss : existing
    losses.set(loss.merchantId, { ...loss, count: existing.count + loss.count, from: Math.min(existing.from, loss.from), to, requestId })
  }
}

const lossesMax = 1000
