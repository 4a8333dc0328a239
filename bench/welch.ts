/** Welch's t of two samples: how many standard errors their means lie apart. Beyond 4.5 they are taken to differ (as in TVLA). */
export function welchT(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [describe(one), describe(other)]
  return (a.mean - b.mean) / Math.sqrt(a.variance / a.count + b.variance / b.count)
}

/**
 * Drops values above a limit that is common to all samples: interruptions by the machine, which are larger than the difference that is measured.
 */
export function crop(samples: readonly (readonly number[])[], share = 0.9): number[][] {
  const all = Float64Array.from(samples.flat()).sort()
  const limit = all[Math.floor(all.length * share)] ?? Infinity
  return samples.map((values) => values.filter((value) => value <= limit))
}

export function meanOf(values: readonly number[]): number {
  return describe(values).mean
}

function describe(values: readonly number[]): { mean: number; variance: number; count: number } {
  const count = values.length
  const mean = values.reduce((sum, value) => sum + value, 0) / count
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1)
  return { mean, variance, count }
}
