import type { RequestCaller, RequestSegment } from '../../store/request-segments.ts'

import type { RedactedMembers } from './redact.ts'

/** One API call in its merchant's request log, already redacted. */
export interface RequestRow {
  readonly bucket: number
  readonly merchantId: string
  /** When the response was sent. */
  readonly at: number
  readonly requestId: string
  readonly caller: RequestCaller
  /** '' for an unknown method. */
  readonly method: string
  readonly profile: 'spec' | 'subscribe'
  /** Of the error; 0 for a result. */
  readonly code: number
  readonly reason: string
  /** Thousandths of a millisecond. */
  readonly micros: number
  /** '' for a call without a card. */
  readonly cardId: string
  readonly addressClass: AddressClass
  /** Above 0 the row is no call, but stands for this many calls of `caller` that were not recorded for `reason`, the first at `lostFrom`. */
  readonly lost: number
  readonly lostFrom: number
  /** Of the whole body of the request. */
  readonly bytes: number
  readonly detail: RequestDetail
}

/** What is stored of a call's params and its result. */
export interface RequestDetail {
  /** Of the error, where it is a plain name. */
  readonly data: string
  readonly params: RedactedMembers
  readonly result: RedactedMembers
}

/** Where a call came from, of which the address itself is not stored; '' for calls of before it was. */
export type AddressClass = 'loopback' | 'private' | 'public' | ''

/** A row as the text that a segment has of it. */
export interface EncodedRow {
  readonly bucket: number
  readonly merchantId: string
  readonly caller: RequestCaller
  readonly at: number
  readonly requestId: string
  readonly isError: boolean
  readonly isGap: boolean
  readonly micros: number
  readonly text: string
}

/** Encodes a row as the JSON of an array. Ids, codes and names have nothing to escape, and values hardly ever: put together, a check takes 1 µs less. */
export function encodeRow(row: RequestRow): EncodedRow {
  const { bucket, merchantId, caller, at, requestId, micros, lost, code, method, profile, reason, cardId, addressClass, lostFrom, bytes } =
    row
  const { data, params, result } = row.detail
  const detail = `[${quote(data)},${encodeMembers(params)},${params.more},${encodeMembers(result)},${result.more}]`
  const text = `[${at},"${requestId}","${method}","${profile}",${code},"${reason}",${micros},"${cardId}","${addressClass}",${lost},${lostFrom},${bytes},${detail}]`
  return { bucket, merchantId, caller, at, requestId, isError: code !== 0, isGap: lost > 0, micros, text }
}

type Member = RedactedMembers['list'][number]
/** Path and value; where it is hidden, why and its size. */
type EncodedMember = readonly [string, Member['value'], string?, number?]

function encodeMembers({ list }: RedactedMembers): string {
  let text = ''
  for (const { path, value, hidden, size } of list) {
    const begin = text === '' ? beginOf(path) : `,${beginOf(path)}`
    if (hidden !== null) text += `${begin}null,"${hidden}",${size}]`
    else text += typeof value === 'string' ? `${begin}${quote(value)}]` : `${begin}${value}]`
  }
  return `[${text}]`
}

/** A member up to its value. Those of the contract are the same in each call. */
function beginOf(path: string): string {
  const known = begins.get(path)
  if (known !== undefined) return known
  const begin = `[${quote(path)},`
  if (begins.size < beginsMax) begins.set(path, begin)
  return begin
}

/** A text as JSON. */
function quote(text: string): string {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x20 || unit > 0x7e || unit === quotationMark || unit === backslash) return JSON.stringify(text)
  }
  return `"${text}"`
}

function decodeMember([path, value, hidden, size = 0]: EncodedMember): Member {
  return { path, value, hidden: (hidden ?? null) as Member['hidden'], size }
}

type EncodedDetail = readonly [string, readonly EncodedMember[], number, readonly EncodedMember[], number]
// prettier-ignore
type EncodedCall = readonly [at: number, requestId: string, method: string, profile: RequestRow['profile'], code: number, reason: string, micros: number,
  cardId: string, addressClass: AddressClass, lost: number, lostFrom: number, bytes: number, detail: EncodedDetail]

/** The rows of a segment, oldest first. Throws for a body that this service never wrote. */
export function decodeRows({ bucket, merchantId, caller, body }: RequestSegment): RequestRow[] {
  return (JSON.parse(body) as EncodedCall[]).map((call) => {
    const [at, requestId, method, profile, code, reason, micros, cardId, addressClass, lost, lostFrom, bytes, detail] = call
    const [data, params, moreParams, result, moreResult] = detail
    return {
      bucket,
      merchantId,
      at,
      requestId,
      caller,
      method,
      profile,
      code,
      reason,
      micros,
      cardId,
      addressClass,
      lost,
      lostFrom,
      bytes,
      detail: {
        data,
        params: { list: params.map(decodeMember), more: moreParams },
        result: { list: result.map(decodeMember), more: moreResult },
      },
    }
  })
}

const begins = new Map<string, string>()
/** More than the contract has members with a rule; other names come from callers. */
const beginsMax = 500
const quotationMark = 0x22
const backslash = 0x5c
