/**
 * Issues the ids under which the log and the audit know requests: 24 hex digits, 11 of this process, then 11 that count, with an `e` before
 * them and among them. Nothing random a request, and never as many decimal digits in a row as the shortest card number has: the tripwire
 * behind the log need not look closer, and may not fire by chance.
 * `seed` is 6 random bytes, drawn once at start.
 */
export function makeRequestIds(seed: Uint8Array): () => string {
  const start = Buffer.from(seed).toString('hex').padStart(11, '0').slice(0, 11)
  let count = 0
  return () => {
    count++
    const counted = count.toString(16).padStart(11, '0')
    return `${start}e${counted.slice(0, 5)}e${counted.slice(5)}`
  }
}
