import { maxBodyBytes } from '@tessera/contract/envelope'

import type { JsonCursor } from './json-cursor.ts'
import { closeArray, closeObject, colon, openArray, openObject, quoteByte } from './json-cursor.ts'

/** Skips one value and only checks that it is JSON. Not recursive, so that 64 KiB of `[` cannot overflow the stack. */
export function skipValue(cursor: JsonCursor): void {
  let depth = 0
  do {
    const first = cursor.peek()
    if (first === openObject || first === openArray) {
      cursor.at++
      const close = first === openObject ? closeObject : closeArray
      if (!cursor.isEmpty(close)) {
        closes[depth++] = close
        if (close === closeObject) skipKey(cursor)
        continue
      }
    } else {
      passScalar(cursor, first)
    }
    while (depth > 0 && !hasNext(cursor, closes[depth - 1] ?? 0)) depth--
  } while (depth > 0)
}

/** Consumes a string, a number, `true`, `false` or `null`. `first` is its first byte, at the cursor. */
export function passScalar(cursor: JsonCursor, first: number): void {
  if (first === quoteByte) cursor.string()
  else if (first === 0x74) cursor.literal('true')
  else if (first === 0x66) cursor.literal('false')
  else if (first === 0x6e) cursor.literal('null')
  else cursor.number()
}

/** After a member or element: whether another follows. Consumes its key. */
function hasNext(cursor: JsonCursor, close: number): boolean {
  if (!cursor.hasMore(close)) return false
  if (close === closeObject) skipKey(cursor)
  return true
}

function skipKey(cursor: JsonCursor): void {
  cursor.string()
  cursor.expect(colon)
}

/** The closing bytes of the open containers; never more than a body has bytes. */
const closes = new Uint8Array(maxBodyBytes)
