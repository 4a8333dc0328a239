import { maxBodyBytes } from '@tessera/contract/envelope'

import type { JsonCursor } from './json-cursor.ts'
import { closeArray, closeObject, colon, openArray, openObject, quoteByte } from './json-cursor.ts'

/** Passes one value, whatever it holds, and only checks that it is JSON. Without recursion: 64 KiB of `[` overflow nothing. */
export function skipValue(cursor: JsonCursor): void {
  let depth = 0
  do {
    const first = cursor.peek()
    if (first === openObject || first === openArray) {
      cursor.at++
      const close = first === openObject ? closeObject : closeArray
      if (!cursor.isEmpty(close)) {
        closes[depth++] = close
        if (close === closeObject) passKey(cursor)
        continue
      }
    } else {
      passScalar(cursor, first)
    }
    while (depth > 0 && !passComma(cursor, closes[depth - 1] ?? 0)) depth--
  } while (depth > 0)
}

/** Passes a string, a number, `true`, `false` or `null`; `first` is its first byte, where the cursor stands. */
export function passScalar(cursor: JsonCursor, first: number): void {
  if (first === quoteByte) cursor.string()
  else if (first === 0x74) cursor.literal('true')
  else if (first === 0x66) cursor.literal('false')
  else if (first === 0x6e) cursor.literal('null')
  else cursor.number()
}

/** After a member or element: true when another follows, whose key is passed then. */
function passComma(cursor: JsonCursor, close: number): boolean {
  if (!cursor.hasMore(close)) return false
  if (close === closeObject) passKey(cursor)
  return true
}

function passKey(cursor: JsonCursor): void {
  cursor.string()
  cursor.expect(colon)
}

/** The closing bytes of the containers that are open; there cannot be more of them than a body has bytes. */
const closes = new Uint8Array(maxBodyBytes)
