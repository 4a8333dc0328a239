// For the benchmarks and the fault experiments alike.

/** The median; NaN for no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = sorted.length >> 1
  const [low, high] = [sorted[middle - 1], sorted[middle]]
  if (high === undefined) return NaN
  return sorted.length % 2 === 1 || low === undefined ? high : (low + high) / 2
}

/** The smallest value that at least this share of the values does not exceed (0.99: the 99th percentile); NaN for no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN
}

/** The largest value; 0 for no values. */
export function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0)
}

/**
 * The median of the slopes between any two points (Theil–Sen), in units of y for each unit of x: up to a quarter of the points may be outliers.
 * NaN for fewer than two points.
 */
export function theilSenSlope(points: readonly (readonly [number, number])[]): number {
  const slopes = points.flatMap(([x, y], index) => points.slice(index + 1).map(([laterX, laterY]) => (laterY - y) / (laterX - x)))
  return median(slopes)
}
