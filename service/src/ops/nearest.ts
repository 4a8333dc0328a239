/** The known word that was most likely meant, or null when none is near: for "did you mean". */
export function nearest(word: string, known: readonly string[]): string | null {
  const distances = known.map((candidate) => ({ candidate, distance: editDistance(word.slice(0, 64), candidate) }))
  const best = distances.reduce<(typeof distances)[number] | null>((a, b) => (a === null || b.distance < a.distance ? b : a), null)
  return best !== null && best.distance <= Math.max(2, Math.floor(word.length / 3)) ? best.candidate : null
}

/** Levenshtein's distance, row by row. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
