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

/** The slope of the straight line through points (least squares), in units of y for each unit of x; NaN for fewer than two points. */
export function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length
  const [meanX, meanY] = [mean(0), mean(1)]
  const over = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  return over / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
}
