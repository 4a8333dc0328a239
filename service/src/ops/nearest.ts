/** The known word that was most likely meant, or null when none is near: for "did you mean". */
export function nearest(word: string, known: readonly string[]): string | null {
  const distances = known.map((candidate) => ({ candidate, distance: editDistance(word.slice(0, 64), candidate) }))
  const best = distances.reduce<(typeof distances)[number] | null>((a, b) => (a === null || b.distance < a.distance ? b : a), null)
  return best !== null && best.distance <= Math.max(2, Math.floor(word.length / 3)) ? best.candidate : null
}

/** The number of edits between two words; exchanging two neighbouring letters is one (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const exchanged = isExchanged ? (before[j - 2] ?? 0) + 1 : Infinity
      next.push(Math.min(substituted, exchanged, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}
