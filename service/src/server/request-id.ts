/**
 * Issues request ids, by which the log, the audit and the caller know requests: 24 hex digits, 22 of them random (88 bits), with an `e` after the
 * eleventh and another five further on. So there are never as many decimal digits in a row as the shortest card number has, and the log tripwire
 * cannot fire by chance. Ids are random rather than counted, since every reply carries one: two ids must not reveal how many requests lay between
 * them. `draw` returns random bytes that are not secret.
 */
export function makeRequestIds(draw: (count: number) => Uint8Array): () => string {
  let drawn = ''
  let next = 0
  return () => {
    if (next === drawn.length) {
      drawn = Buffer.from(draw((drawnDigits / 2) * drawnAtOnce)).toString('hex')
      next = 0
    }
    const at = next
    next += drawnDigits
    return `${drawn.slice(at, at + 11)}e${drawn.slice(at + 11, at + 16)}e${drawn.slice(at + 16, next)}`
  }
}

const drawnDigits = 22
const drawnAtOnce = 64
