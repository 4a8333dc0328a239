import {
  cardNumberDigitsMin,
  keyIdShape,
  ownIdShape,
  referencePrefixDigits,
  type CardNumberDetector,
} from '@tessera/contract/card-number-detector'
import { maxDepth, maxMembers } from '@tessera/contract/envelope'
import type { ErrorName } from '@tessera/contract/errors'
import { copyOffHeap } from '@tessera/contract/off-heap'

import { isEarlier, namePath, type RequestFault } from './fault.ts'
import { closeArray, closeObject, colon, openArray, openObject, quoteByte, type JsonCursor } from './json-cursor.ts'
import { passScalar, skipValue } from './json-skip.ts'
import { JsonText } from './json-text.ts'
import { Members, type JsonValue } from './members.ts'

/**
 * Reads the values of one call and records their faults without stopping, because the whole text has to be read before a reply is decided. No card
 * number becomes a JavaScript string: the one at `params.card.number` is extracted as bytes and blanked in the body; any other is dropped and recorded
 * as a fault.
 */
export class ValueReader {
  requestFault: RequestFault | null = null
  paramsFault: RequestFault | null = null
  /** The value of `params.card.number`. Belongs to the call and is wiped with it. */
  cardNumber: Uint8Array | null = null
  /** Account values that look like a card number unless their field is configured as a reference. */
  readonly withheld: WithheldValue[] = []
  readonly text = new JsonText()
  readonly #cursor: JsonCursor
  readonly #detector: CardNumberDetector
  /** The path from the call to the current value: names and indexes, by depth. */
  readonly #keys: (string | number)[] = []
  #members = 0

  constructor(cursor: JsonCursor, detector: CardNumberDetector) {
    this.#cursor = cursor
    this.#detector = detector
  }

  /** The value at the cursor, inside `depth` open containers. Values beyond the limits of depth or count are skipped. */
  value(depth: number, container: ContainerKind = 'other'): JsonValue {
    const cursor = this.#cursor
    const first = cursor.peek()
    if (first === openObject || first === openArray) return this.#container(first, depth, container)
    if (this.isFull()) return this.#skip()
    if (first === quoteByte) {
      cursor.string()
      return this.readText(depth)
    }
    if (isNumberStart(first)) return this.#number(depth)
    passScalar(cursor, first)
    return first === letterN ? null : first === letterT
  }

  /** Consumes a key inside `depth` containers. Null: its value has to be skipped. `others` has the keys before it. */
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

  /** The string just consumed, inside `depth` containers. Null if it contains a card number, which is recorded. */
  readText(depth: number): string | null {
    const { text } = this
    text.take(this.#cursor)
    const isTainted =
      this.#cursor.maxDigits >= cardNumberDigitsMin && this.#detector.inBytes(text.bytes, text.from, text.to) && !this.#isOwnId(depth)
    if (isTainted) {
      const isCertain = this.#detector.inBytes(text.bytes, text.from, text.to, referencePrefixDigits)
      this.#refuseCardNumber(depth, isCertain ? null : { bytes: text.copy(), isNumber: false })
    }
    const read = isTainted ? null : text.toText()
    text.drop()
    return read
  }

  /** Consumes a number. Null if it is a card number, which is recorded. Infinity if it is out of range. */
  readNumber(depth: number): number | null {
    const cursor = this.#cursor
    cursor.number()
    const { bytes, from, to } = cursor
    if ((!cursor.isInteger || cursor.maxDigits >= cardNumberDigitsMin) && this.#detector.inNumber(bytes, from, to)) {
      const isCertain = this.#detector.inNumber(bytes, from, to, referencePrefixDigits)
      this.#refuseCardNumber(depth, isCertain ? null : { bytes: copyOffHeap(bytes.subarray(from, to)), isNumber: true })
      return null
    }
    return Number(bytes.toString('latin1', from, to))
  }

  /** Counts one member or element of the call. */
  count(): void {
    this.#members++
    if (this.#members === maxMembers + 1) this.refuse('tooManyMembers')
  }

  /** Whether the limit of members is exceeded, so that everything else is skipped. */
  isFull(): boolean {
    return this.#members > maxMembers
  }

  /** Records a fault of the request, with the path of the current member if `depth` is given. */
  refuse(entry: ErrorName, depth = 0): void {
    if (isEarlier(entry, this.requestFault)) this.requestFault = this.#fault(entry, 0, depth)
  }

  /** Records a fault of the params. Inside params the path starts there. */
  refuseParams(entry: ErrorName, depth = 0): void {
    if (isEarlier(entry, this.paramsFault)) this.paramsFault = this.#fault(entry, this.#isInParams(depth) ? 1 : 0, depth)
  }

  /**
   * Refuses a misplaced card number. A number that matches only a short prefix may be an order number: as an account value it is withheld until the
   * merchant's account fields are known.
   */
  #refuseCardNumber(depth: number, uncertain: { readonly bytes: Uint8Array; readonly isNumber: boolean } | null): void {
    const [params, account, field] = this.#keys
    if (uncertain !== null && depth === 3 && params === 'params' && account === 'account' && typeof field === 'string' && field !== '*') {
      this.withheld.push({ field, ...uncertain })
      return
    }
    uncertain?.bytes.fill(0)
    this.refuseParams('panOutOfPlace', depth)
  }

  #fault(entry: ErrorName, from: number, depth: number): RequestFault {
    return depth === 0 ? { entry } : { entry, data: namePath(this.#keys.slice(from, depth)) }
  }

  #container(first: number, depth: number, container: ContainerKind): JsonValue {
    if (depth === maxDepth) this.refuse('tooDeep')
    if (depth === maxDepth || this.isFull()) return this.#skip()
    this.#cursor.at++
    if (first === openObject) return this.#object(depth + 1, container)
    const elements = this.#array(depth + 1)
    return elements.length === 0 && this.#isObjectMember(depth) ? new Members() : elements
  }

  #object(depth: number, container: ContainerKind): Members {
    const cursor = this.#cursor
    const members = new Members()
    if (cursor.isEmpty(closeObject)) return members
    do {
      this.count()
      const key = this.isFull() ? this.#skipKey() : this.key(depth, members)
      cursor.expect(colon)
      if (key === null) skipValue(cursor)
      else if (container === 'card' && key === 'number') members[key] = this.#extractCardNumber(depth)
      else members[key] = this.value(depth, container === 'params' && key === 'card' ? 'card' : 'other')
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

  /** Replaces the card number by an empty string in params. A JSON number is refused: it has to be a string of digits. */
  #extractCardNumber(depth: number): JsonValue {
    const cursor = this.#cursor
    const first = cursor.peek()
    if (first !== quoteByte && !isNumberStart(first)) return this.value(depth)
    if (first === quoteByte) {
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
    return first === quoteByte ? '' : null
  }

  /** Most names are among the few that every request has; they need no further check. */
  #knownName(): string | null {
    this.text.take(this.#cursor)
    const known = this.text.toKnownName()
    this.text.drop()
    return known
  }

  /**
   * Whether the current text has the exact shape of an id, token or cursor of this service, in a member for such values. Ids issued by earlier versions
   * may contain a card number by chance and must still work.
   */
  #isOwnId(depth: number): boolean {
    const name = this.#keys[1]
    const isInPlace = depth === 2 ? idMembers.has(String(name)) : depth === 3 && name === 'cards' && typeof this.#keys[2] === 'number'
    if (!isInPlace || this.#keys[0] !== 'params') return false
    const { bytes, from, to } = this.text
    const shape = name === 'keyId' ? keyIdShape : ownIdShape
    return to - from <= maxOwnIdLength && shape.test(bytes.toString('latin1', from, to))
  }

  #skip(): null {
    skipValue(this.#cursor)
    return null
  }

  #skipKey(): null {
    this.#cursor.string()
    return null
  }

  /** PHP writes an empty object as `[]` (docs/reference/wire.md#accepted-leniencies). */
  #isObjectMember(depth: number): boolean {
    return depth === 2 && this.#keys[0] === 'params' && objectMembers.has(String(this.#keys[1]))
  }

  #isInParams(depth: number): boolean {
    return depth > 1 && this.#keys[0] === 'params'
  }
}

/** An account value that is a card number by a prefix of fewer than four digits: refused unless its field is of kind `reference`. */
export interface WithheldValue {
  readonly field: string
  /** The text, or the number as written. Wiped with the call. */
  readonly bytes: Uint8Array
  readonly isNumber: boolean
}

/** `card`: the object whose `number` is extracted. `params`: the object with that `card`. */
export type ContainerKind = 'params' | 'card' | 'other'

export function isNumberStart(byte: number): boolean {
  return byte === 0x2d || (byte >= 0x30 && byte <= 0x39)
}

function isSensitiveName(key: string): boolean {
  return key.length <= maxSensitiveLength && sensitiveNames.has(key.toLowerCase())
}

/** Names under which sensitive authentication data is sent by mistake (PCI DSS 3.3.1), lower case. */
const sensitiveNames: ReadonlySet<string> = new Set(['cvv', 'cvc', 'cvv2', 'cvc2', 'pin', 'track1', 'track2'])
const maxSensitiveLength = 6
/** The members of params for ids, tokens and cursors issued by this service; `cards` is a list of ids. */
const idMembers: ReadonlySet<string> = new Set([
  'token',
  'id',
  'session',
  'merchantId',
  'owner',
  'keyId',
  'cardId',
  'receiptId',
  'userId',
  'sessionId',
  'endpointId',
  'eventId',
  'requestId',
  'scriptId',
  'subject',
  'search',
  'after',
])
const maxOwnIdLength = 13 + 1 + 64
const objectMembers: ReadonlySet<string> = new Set(['payer', 'detail', 'account'])
const letterN = 0x6e
const letterT = 0x74
const blank = 0x2a
