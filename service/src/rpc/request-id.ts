/**
 * Issues the ids under which the log, the audit and the caller know requests: 24 hex digits, 22 of them drawn (88 bits), with an `e` behind the
 * eleventh and five further on: never as many decimal digits in a row as the shortest card number has, so the tripwire behind the log need
 * not look closer, and may not fire by chance. Drawn and not counted, since every reply carries one: two ids tell nobody how many calls lay
 * between them. `draw` gives random bytes that are no secret.
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
