import type { CardNumberDetector } from '@tessera/contract/card-number-detector'
import { maxRequestIdDigits, maxRequestIdLength, type RequestId } from '@tessera/contract/envelope'

import type { RequestFault } from './fault.ts'
import { closeObject, colon, minus, openObject, quoteByte, type JsonCursor } from './json-cursor.ts'
import { passScalar, skipValue } from './json-skip.ts'
import { Members, type JsonValue } from './members.ts'

import { isNumberStart, ValueReader, type WithheldValue } from './value-reader.ts'

/** A call as read (JSON-RPC 2.0 §4), with its faults. Each fault is reported by its step of the pipeline. */
export interface ReadCall {
  /** Null if it was null, absent, not an id, or contained a card number. */
  readonly id: RequestId
  /** Null if it is missing (then there is a fault) or contained a card number. */
  readonly method: string | null
  /** `card.number` is an empty string if a number was extracted. */
  readonly params: Members
  /** ASCII as sent, whitespace included; null without a string at `params.card.number`. Wiped by `wipeCall`. */
  readonly cardNumber: Uint8Array | null
  /** Account values that are card numbers unless the merchant configured their fields as references. Not in `params`. Wiped by `wipeCall`. */
  readonly withheld: readonly WithheldValue[]
  readonly requestFault: RequestFault | null
  readonly paramsFault: RequestFault | null
}

/** Wipes every card number of a call. */
export function wipeCall({ cardNumber, withheld }: Pick<ReadCall, 'cardNumber' | 'withheld'>): void {
  cardNumber?.fill(0)
  for (const { bytes } of withheld) bytes.fill(0)
}

/**
 * Reads the value at the cursor as a call. Throws only if the text is not JSON; everything else is recorded as a fault. `segment` is the path after
 * `/api/`, which the method has to equal; null at `/api`. `extracted` receives the bytes that have to be wiped.
 */
export function readCall(cursor: JsonCursor, detector: CardNumberDetector, segment: string | null, extracted: Uint8Array[]): ReadCall {
  const reader = new CallReader(cursor, detector, segment)
  try {
    return reader.read()
  } finally {
    if (reader.values.cardNumber !== null) extracted.push(reader.values.cardNumber)
    extracted.push(...reader.values.withheld.map(({ bytes }) => bytes))
  }
}

class CallReader {
  readonly values: ValueReader
  readonly #cursor: JsonCursor
  readonly #segment: string | null
  readonly #names = new Members()
  #id: RequestId = null
  #method: string | null = null
  #hasMethod = false
  #matchesPath = false
  #version: JsonValue = '2.0'
  #params: JsonValue = new Members()

  constructor(cursor: JsonCursor, detector: CardNumberDetector, segment: string | null) {
    this.values = new ValueReader(cursor, detector)
    this.#cursor = cursor
    this.#segment = segment
  }

  read(): ReadCall {
    if (this.#cursor.peek() !== openObject) return this.#refuseNotObject()
    this.#cursor.at++
    if (!this.#cursor.isEmpty(closeObject)) {
      do this.#member()
      while (this.#cursor.hasMore(closeObject))
    }
    this.#checkEnvelope()
    return this.#result()
  }

  #member(): void {
    const { values } = this
    values.count()
    const key = values.isFull() ? this.#keyWhenFull() : values.key(1, this.#names)
    this.#cursor.expect(colon)
    if (key === null) skipValue(this.#cursor)
    else if (key === 'id') this.#readId()
    else if (key === 'method') this.#readMethod()
    else if (key === 'jsonrpc') this.#version = values.value(1)
    else if (key === 'params') this.#params = values.value(1, 'params')
    else values.value(1)
    if (key !== null) this.#names[key] = true
  }

  /** Past the limit of members only the id is still read. */
  #keyWhenFull(): 'id' | null {
    const { text } = this.values
    this.#cursor.string()
    text.take(this.#cursor)
    const isId = text.is('id')
    text.drop()
    return isId ? 'id' : null
  }

  /** Read even if there are too many members, so that the reply has it. A repeated id counts as none. */
  #readId(): void {
    const first = this.#cursor.peek()
    const id = this.#readIdValue(first)
    if (id === undefined) this.values.refuse('invalidRequestId')
    this.#id = id === undefined || 'id' in this.#names ? null : id
  }

  #readIdValue(first: number): RequestId | undefined {
    if (first === quoteByte) {
      this.#cursor.string()
      const id = this.values.readText(1)
      return id === null || isIdLength(id) ? id : undefined
    }
    if (isNumberStart(first)) {
      return this.#readIntegerId()
    }
    if (first !== letterN) {
      this.values.value(1)
      return undefined
    }
    passScalar(this.#cursor, first)
    return null
  }

  /** Its digits as written: a JavaScript number would round an id above 2^53. */
  #readIntegerId(): RequestId | undefined {
    if (this.values.readNumber(1) === null) return null
    const { bytes, from, to, isInteger } = this.#cursor
    const digits = bytes[from] === minus ? to - from - 1 : to - from
    return isInteger && digits <= maxRequestIdDigits ? { integer: bytes.toString('latin1', from, to) } : undefined
  }

  #readMethod(): void {
    if (this.#cursor.peek() !== quoteByte) {
      this.values.value(1)
      return
    }
    this.#cursor.string()
    this.values.text.take(this.#cursor)
    this.#matchesPath = this.#segment === null || this.values.text.is(this.#segment)
    this.#hasMethod = true
    this.#method = this.values.readText(1)
  }

  #checkEnvelope(): void {
    const { values } = this
    if (this.#version !== '2.0' && this.#version !== '1.0') values.refuse('invalidVersion')
    if (!this.#hasMethod) values.refuse('methodMissing')
    else if (!this.#matchesPath) values.refuse('pathMismatch')
    if (!(this.#params instanceof Members)) values.refuseParams('paramsNotObject')
  }

  #refuseNotObject(): ReadCall {
    skipValue(this.#cursor)
    this.values.refuse('notAnObject')
    return this.#result()
  }

  #result(): ReadCall {
    const { requestFault, paramsFault, cardNumber, withheld } = this.values
    const params = this.#params instanceof Members ? this.#params : new Members()
    return { id: this.#id, method: this.#method, params, cardNumber, withheld, requestFault, paramsFault }
  }
}

/** Characters, not code units: an emoji is one. */
function isIdLength(id: string): boolean {
  return id.length <= maxRequestIdLength || (id.length <= maxRequestIdLength * 2 && Array.from(id).length <= maxRequestIdLength)
}

const letterN = 0x6e
