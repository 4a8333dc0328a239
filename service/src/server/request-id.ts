/**
 * Issues request ids, which identify a request in the log, in the audit and to the caller: 24 hex digits, the second (unix time), and 14 random ones (56 bits), with
 * an `e` at positions 9 and 17. An id therefore never has as many consecutive decimal digits as the shortest card number, and the log tripwire cannot fire by
 * chance. The time is what the request log finds a request by (ops/request-log/request-id-time.ts), and the caller knows it. The rest is random because every
 * reply has an id: two ids must not reveal how many requests came between them. `draw` returns random bytes that are not secret.
 */
export function makeRequestIds(draw: (count: number) => Uint8Array, now: () => number): () => string {
  let drawn = ''
  let next = 0
  let second = -1
  let secondText = ''
  return () => {
    if (next === drawn.length) {
      drawn = Buffer.from(draw((randomDigits / 2) * idsPerDraw)).toString('hex')
      next = 0
    }
    const at = next
    next += randomDigits
    const nowSecond = Math.floor(now() / 1000) % 2 ** 32
    if (nowSecond !== second) {
      second = nowSecond
      secondText = second.toString(16).padStart(8, '0')
    }
    return `${secondText}e${drawn.slice(at, at + 7)}e${drawn.slice(at + 7, next)}`
  }
}

const randomDigits = 14
const idsPerDraw = 64
