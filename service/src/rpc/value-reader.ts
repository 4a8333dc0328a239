import { depthMax, membersMax } from '@tessera/contract/envelope'
import type { ErrorName } from '@tessera/contract/errors'

import { isEarlier, namePath, type Fault } from './fault.ts'
import { closeArray, closeObject, colon, openArray, openObject, quote, type JsonCursor } from './json-cursor.ts'
import { passScalar, skipValue } from './json-skip.ts'
import { JsonText } from './json-text.ts'
import { Members, type JsonValue } from './members.ts'
import { panDigits, type PanScan } from './pan-scan.ts'

/**
 * Reads the values of one call and remembers what is wrong with them, without stopping: the whole text has to be read before anything is
 * answered. No card number becomes a JavaScript string here: the one at `params.card.number` is lifted out as bytes and blanked in the body,
 * any other is left out and remembered as a fault.
 */
export class ValueReader {
  requestFault: Fault | null = null
  paramsFault: Fault | null = null
  /** What stood at `params.card.number`: bytes that belong to the call, to be wiped after it. */
  cardNumber: Uint8Array | null = null
  readonly text = new JsonText()
  readonly #cursor: JsonCursor
  readonly #scan: PanScan
  /** Where we are: the names and positions that lead here from the call, by depth. */
  readonly #keys: (string | number)[] = []
  #members = 0

  constructor(cursor: JsonCursor, scan: PanScan) {
    this.#cursor = cursor
    this.#scan = scan
  }

  /** The value at the cursor, inside `depth` open containers. What is too deep or too much is passed and left out. */
  value(depth: number, place: Place = 'other'): JsonValue {
    const cursor = this.#cursor
    const first = cursor.peek()
    if (first === openObject || first === openArray) return this.#container(first, depth, place)
    if (this.isFull()) return this.#leaveOut()
    if (first === quote) {
      cursor.string()
      return this.readText(depth)
    }
    if (isNumberStart(first)) return this.#number(depth)
    passScalar(cursor, first)
    return first === letterN ? null : first === letterT
  }

  /** Passes a key inside `depth` containers; null when it must not be used: its value is passed over. `others` are the names before it. */
  key(depth: number, others: Members): string | null {
    this.#cursor.string()
    this.#keys[depth - 1] = '*'
    const known = this.#knownName()
    const key = known ?? this.readText(depth)
    if (key === null) return null
    this.#keys[depth - 1] = key
    if (known !== null && !(known in others)) return known
    if (key === '__proto__' || key === 'constructor') {
      this.refuse('forbiddenMember', depth)
      return null
    }
    if (key in others) this.refuse('duplicateKey', depth)
    if (isSensitiveName(key) && this.#isInParams(depth)) {
      this.refuseParams('sensitiveAuthenticationData', depth)
      others[key] = null
      return null
    }
    return key
  }

  /** The string just passed, of the member inside `depth` containers; null, and remembered, when a card number is in it. */
  readText(depth: number): string | null {
    const { text } = this
    text.take(this.#cursor)
    const isTainted = this.#cursor.digitsMax >= panDigits && this.#scan.inText(text.bytes, text.from, text.to)
    if (isTainted) this.refuseParams('panOutOfPlace', depth)
    const read = isTainted ? null : text.toText()
    text.drop()
    return read
  }

  /** Passes a number; null, and remembered, when it is a card number. Infinity when it is beyond what a number holds. */
  readNumber(depth: number): number | null {
    const cursor = this.#cursor
    cursor.number()
    const { bytes, from, to } = cursor
    if ((!cursor.isInteger || cursor.digitsMax >= panDigits) && this.#scan.inNumber(bytes, from, to)) {
      this.refuseParams('panOutOfPlace', depth)
      return null
    }
    return Number(bytes.toString('latin1', from, to))
  }

  /** Counts one member or element of the call. */
  count(): void {
    this.#members++
    if (this.#members === membersMax + 1) this.refuse('tooManyMembers')
  }

  /** From here on nothing more is taken: everything is passed over. */
  isFull(): boolean {
    return this.#members > membersMax
  }

  /** Remembers a fault of the request; of the member that was named last, when it lies inside `depth` containers. */
  refuse(entry: ErrorName, depth = 0): void {
    if (isEarlier(entry, this.requestFault)) this.requestFault = this.#fault(entry, 0, depth)
  }

  /** The same of params, where paths begin; what lies beside them is named from the call. */
  refuseParams(entry: ErrorName, depth = 0): void {
    if (isEarlier(entry, this.paramsFault)) this.paramsFault = this.#fault(entry, this.#isInParams(depth) ? 1 : 0, depth)
  }

  #fault(entry: ErrorName, from: number, depth: number): Fault {
    return depth === 0 ? { entry } : { entry, data: namePath(this.#keys.slice(from, depth)) }
  }

  #container(first: number, depth: number, place: Place): JsonValue {
    if (depth === depthMax) this.refuse('tooDeep')
    if (depth === depthMax || this.isFull()) return this.#leaveOut()
    this.#cursor.at++
    return first === openObject ? this.#object(depth + 1, place) : this.#array(depth + 1)
  }

  #object(depth: number, place: Place): Members {
    const cursor = this.#cursor
    const members = new Members()
    if (cursor.isEmpty(closeObject)) return members
    do {
      this.count()
      const key = this.isFull() ? this.#passKey() : this.key(depth, members)
      cursor.expect(colon)
      if (key === null) skipValue(cursor)
      else if (place === 'card' && key === 'number') members[key] = this.#liftCardNumber(depth)
      else members[key] = this.value(depth, place === 'params' && key === 'card' ? 'card' : 'other')
    } while (cursor.hasMore(closeObject))
    return members
  }

  #array(depth: number): JsonValue[] {
    const cursor = this.#cursor
    const elements: JsonValue[] = []
    if (cursor.isEmpty(closeArray)) return elements
    do {
      this.count()
      this.#keys[depth - 1] = elements.length
      if (this.isFull()) skipValue(cursor)
      else elements.push(this.value(depth))
    } while (cursor.hasMore(closeArray))
    return elements
  }

  #number(depth: number): number | null {
    const value = this.readNumber(depth)
    if (value === null || Number.isFinite(value)) return value
    if (this.#isInParams(depth)) this.refuseParams('memberInvalid', depth)
    return null
  }

  /** An empty string stands for it in params. A number there is refused: digits only, but as a string. */
  #liftCardNumber(depth: number): JsonValue {
    const cursor = this.#cursor
    const first = cursor.peek()
    if (first !== quote && !isNumberStart(first)) return this.value(depth)
    if (first === quote) {
      cursor.string()
      this.text.take(cursor)
      this.cardNumber?.fill(0)
      this.cardNumber = this.text.copy()
      this.text.drop()
    } else {
      cursor.number()
      this.refuseParams('memberInvalid', depth)
    }
    cursor.bytes.fill(blank, cursor.from, cursor.to)
    return first === quote ? '' : null
  }

  /** Most names are among the few that every request has, which need no more looking at. */
  #knownName(): string | null {
    this.text.take(this.#cursor)
    const known = this.text.toKnownName()
    this.text.drop()
    return known
  }

  #leaveOut(): null {
    skipValue(this.#cursor)
    return null
  }

  #passKey(): null {
    this.#cursor.string()
    return null
  }

  #isInParams(depth: number): boolean {
    return depth > 1 && this.#keys[0] === 'params'
  }
}

/** `card` is the object whose `number` is lifted out, `params` the one whose `card` that is. */
export type Place = 'params' | 'card' | 'other'

export function isNumberStart(byte: number): boolean {
  return byte === 0x2d || (byte >= 0x30 && byte <= 0x39)
}

function isSensitiveName(key: string): boolean {
  return key.length <= sensitiveLengthMax && sensitiveNames.has(key.toLowerCase())
}

/** Names under which sensitive authentication data is sent by mistake (PCI DSS 3.3.1), in lower case. */
const sensitiveNames: ReadonlySet<string> = new Set(['cvv', 'cvc', 'cvv2', 'cvc2', 'pin', 'track1', 'track2'])
const sensitiveLengthMax = 6
const letterN = 0x6e
const letterT = 0x74
const blank = 0x2a
