/**
 * Issues the ids under which the log and the audit know requests: 24 hex digits, 11 of this process, an `e`, and 12 that count. Nothing
 * random a request, and never as many decimal digits in a row as a card number has: the tripwire behind the log may not fire by chance.
 * `seed` is 6 random bytes, drawn once at start.
 */
export function makeRequestIds(seed: Uint8Array): () => string {
  const start = Buffer.from(seed).toString('hex').padStart(11, '0').slice(0, 11)
  let count = 0
  return () => {
    count++
    return `${start}e${count.toString(16).padStart(12, '0')}`
  }
}
