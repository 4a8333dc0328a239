import { requestIdLengthMax, type RequestId } from '@tessera/contract/envelope'

import type { Fault } from './fault.ts'
import { closeObject, colon, openObject, quote, type JsonCursor } from './json-cursor.ts'
import { passScalar, skipValue } from './json-skip.ts'
import { Members, type JsonValue } from './members.ts'
import type { PanScan } from './pan-scan.ts'
import { isNumberStart, ValueReader } from './value-reader.ts'

/** One call as it was read (JSON-RPC 2.0 §4), with what is wrong with it; each fault is answered when its stage has come. */
export interface ReadCall {
  /** Null when it was null, absent, not an id, or held a card number. */
  readonly id: RequestId
  /** Null when a fault tells that there is none, or when it held a card number: then no method has that name. */
  readonly method: string | null
  /** `card.number` is an empty string in here when it was lifted out. */
  readonly params: Members
  /** ASCII as sent, blanks included; null when no string stood at `params.card.number`. Whoever has the call wipes it. */
  readonly cardNumber: Uint8Array | null
  readonly requestFault: Fault | null
  readonly paramsFault: Fault | null
}

/**
 * Reads the value at the cursor as a call. Throws only where the text breaks; everything else is remembered. `segment` is what follows `/api/`
 * in the URL, and the method has to be it, letter for letter; null at `/api`. `lifted` gets the bytes that have to be wiped.
 */
export function readCall(cursor: JsonCursor, scan: PanScan, segment: string | null, lifted: Uint8Array[]): ReadCall {
  const reader = new CallReader(cursor, scan, segment)
  try {
    return reader.read()
  } finally {
    if (reader.values.cardNumber !== null) lifted.push(reader.values.cardNumber)
  }
}

class CallReader {
  readonly values: ValueReader
  readonly #cursor: JsonCursor
  readonly #segment: string | null
  readonly #seen = new Members()
  #id: RequestId = null
  #method: string | null = null
  #isMethodNamed = false
  #isPathRight = false
  #version: JsonValue = '2.0'
  #params: JsonValue = new Members()

  constructor(cursor: JsonCursor, scan: PanScan, segment: string | null) {
    this.values = new ValueReader(cursor, scan)
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
    this.#judge()
    return this.#result()
  }

  #member(): void {
    const { values } = this
    values.count()
    const key = values.isFull() ? this.#keyWhenFull() : values.key(1, this.#seen)
    this.#cursor.expect(colon)
    if (key === null) skipValue(this.#cursor)
    else if (key === 'id') this.#readId()
    else if (key === 'method') this.#readMethod()
    else if (key === 'jsonrpc') this.#version = values.value(1)
    else if (key === 'params') this.#params = values.value(1, 'params')
    else values.value(1)
    if (key !== null) this.#seen[key] = true
  }

  /** Nothing more is taken but the id. */
  #keyWhenFull(): 'id' | null {
    const { text } = this.values
    this.#cursor.string()
    text.take(this.#cursor)
    const isId = text.is('id')
    text.drop()
    return isId ? 'id' : null
  }

  /** Also when there are too many members: the answer should find its caller. Named twice, it is nobody's. */
  #readId(): void {
    const first = this.#cursor.peek()
    const id = this.#takeId(first)
    if (id === undefined) this.values.refuse('invalidRequestId')
    this.#id = id === undefined || 'id' in this.#seen ? null : id
  }

  #takeId(first: number): RequestId | undefined {
    if (first === quote) {
      this.#cursor.string()
      const id = this.values.readText(1)
      return id === null || isIdLength(id) ? id : undefined
    }
    if (isNumberStart(first)) {
      const id = this.values.readNumber(1)
      if (id === null) return null
      // Zero has one spelling in a reply; -0 would be written so anyway.
      return this.#cursor.isInteger && Number.isSafeInteger(id) ? id + 0 : undefined
    }
    if (first !== letterN) {
      this.values.value(1)
      return undefined
    }
    passScalar(this.#cursor, first)
    return null
  }

  #readMethod(): void {
    if (this.#cursor.peek() !== quote) {
      this.values.value(1)
      return
    }
    this.#cursor.string()
    this.values.text.take(this.#cursor)
    this.#isPathRight = this.#segment === null || this.values.text.is(this.#segment)
    this.#isMethodNamed = true
    this.#method = this.values.readText(1)
  }

  #judge(): void {
    const { values } = this
    if (this.#version !== '2.0' && this.#version !== '1.0') values.refuse('invalidVersion')
    if (!this.#isMethodNamed) values.refuse('methodMissing')
    else if (!this.#isPathRight) values.refuse('pathMismatch')
    if (!(this.#params instanceof Members)) values.refuseParams('paramsNotObject')
  }

  #refuseNotObject(): ReadCall {
    skipValue(this.#cursor)
    this.values.refuse('notAnObject')
    return this.#result()
  }

  #result(): ReadCall {
    const { requestFault, paramsFault, cardNumber } = this.values
    const params = this.#params instanceof Members ? this.#params : new Members()
    return { id: this.#id, method: this.#method, params, cardNumber, requestFault, paramsFault }
  }
}

/** Characters, not code units: an emoji is one. */
function isIdLength(id: string): boolean {
  return id.length <= requestIdLengthMax || (id.length <= requestIdLengthMax * 2 && Array.from(id).length <= requestIdLengthMax)
}

const letterN = 0x6e
