/**
 * Issues request ids, which identify a request in the log, in the audit and to the caller: 24 hex digits, 22 of them random (88 bits), with an `e` at
 * positions 12 and 18. An id therefore never has as many consecutive decimal digits as the shortest card number, and the log tripwire cannot fire by
 * chance. Ids are random because every reply has one: two ids must not reveal how many requests came between them. `draw` returns random bytes that
 * are not secret.
 */
export function makeRequestIds(draw: (count: number) => Uint8Array): () => string {
  let drawn = ''
  let next = 0
  return () => {
    if (next === drawn.length) {
      drawn = Buffer.from(draw((randomDigits / 2) * idsPerDraw)).toString('hex')
      next = 0
    }
    const at = next
    next += randomDigits
    return `${drawn.slice(at, at + 11)}e${drawn.slice(at + 11, at + 16)}e${drawn.slice(at + 16, next)}`
  }
}

const randomDigits = 22
const idsPerDraw = 64
