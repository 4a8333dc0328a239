import { HOUR_MS, type RequestCaller, type RequestSegment } from '../../store/request-segments.ts'

import type { EncodedRow } from './request-row.ts'

/**
 * Calls of one merchant, one kind of caller and one hour that wait to be written, as bytes. What waits lives longer than what V8 expects of objects: kept as
 * strings, the calls of a tenth of a second were moved to the memory that only a major collection frees, 5 MB a second of them at 10,000 calls a second
 * (docs/decisions/0135-pauses.md).
 */
export class WaitingSegment {
  readonly bucket: number
  readonly merchantId: string
  readonly caller: RequestCaller
  readonly hour: number
  calls = 0
  firstAt = Infinity
  lastAt = -Infinity
  lastId = ''
  #errors = 0
  #gaps = 0
  #slowestMicros = 0
  #bytes = Buffer.allocUnsafeSlow(firstBytes)
  #length = 0

  /** `row` is what it has in common with the others; it is not added. */
  constructor(row: EncodedRow) {
    this.bucket = row.bucket
    this.merchantId = row.merchantId
    this.caller = row.caller
    this.hour = hourOf(row)
  }

  /** Whether a row belongs into this segment. */
  takes(row: EncodedRow): boolean {
    return row.merchantId === this.merchantId && row.caller === this.caller && hourOf(row) === this.hour
  }

  add({ at, requestId, isError, isGap, micros, text }: EncodedRow): void {
    this.calls++
    if (isError) this.#errors++
    if (isGap) this.#gaps++
    if (micros > this.#slowestMicros) this.#slowestMicros = micros
    if (at < this.firstAt) this.firstAt = at
    if (at > this.lastAt || (at === this.lastAt && requestId > this.lastId)) {
      this.lastAt = at
      this.lastId = requestId
    }
    this.#makeRoom(maxBytesPerUnit * text.length + separator.length)
    if (this.calls > 1) this.#length += this.#bytes.write(separator, this.#length, 'latin1')
    this.#length += this.#bytes.write(text, this.#length, 'utf8')
  }

  /** The segment as it is stored. */
  toSegment(): RequestSegment {
    const { bucket, merchantId, lastAt, lastId, firstAt, caller, calls } = this
    const body = `[${this.#bytes.toString('utf8', 0, this.#length)}]`
    return {
      bucket,
      merchantId,
      lastAt,
      lastId,
      firstAt,
      caller,
      calls,
      errors: this.#errors,
      gaps: this.#gaps,
      slowestMicros: this.#slowestMicros,
      body,
    }
  }

  #makeRoom(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.#length + more))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

/** Puts rows together into segments. */
export function toSegments(rows: readonly EncodedRow[]): RequestSegment[] {
  const segments: WaitingSegment[] = []
  const open = new Map<string, WaitingSegment>()
  for (const row of rows.toSorted(byTime)) {
    const key = `${row.merchantId}${row.caller}${String(hourOf(row))}`
    let segment = open.get(key)
    if (segment === undefined || segment.calls >= segmentRowsMax) {
      segment = new WaitingSegment(row)
      open.set(key, segment)
      segments.push(segment)
    }
    segment.add(row)
  }
  return segments.map((segment) => segment.toSegment())
}

function hourOf({ at }: EncodedRow): number {
  return Math.floor(at / HOUR_MS)
}

function byTime(one: EncodedRow, other: EncodedRow): number {
  return one.at - other.at || (one.requestId < other.requestId ? -1 : 1)
}

/** Some thirty kilobytes: a page of a list reads one or two. */
export const segmentRowsMax = 100
const separator = ',\n'
/** A call of usual length, with room for three bytes a unit; a hundred of them take six enlargements. */
const firstBytes = 1024
/** Of UTF-8, for a unit of a string. */
const maxBytesPerUnit = 3
