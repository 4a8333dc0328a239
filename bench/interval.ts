import { median } from '../fault/statistics.ts'
import type { Measure, MedianInterval } from './measurement.ts'

/** A value that was measured once in each round: their median, and the interval in which the median of ever more rounds would lie. */
export function measureOfRounds(values: readonly number[], about: Omit<Measure, 'value' | 'interval'>): Measure {
  const interval = findMedianInterval(values)
  return { ...about, value: median(values), ...(interval === null ? {} : { interval }) }
}

/**
 * The narrowest pair of the sorted values, from both ends alike, between which the median of what they are drawn from lies with a confidence of 95 % or
 * more. It assumes nothing about their distribution: each value is below that median as often as a coin shows heads (the interval of the sign test). Of five
 * or fewer values, not even the smallest and the largest reach 95 %: those are returned, with the confidence that they have. Null for fewer than two.
 */
export function findMedianInterval(values: readonly number[]): MedianInterval | null {
  const sorted = [...values].sort((one, other) => one - other)
  let cut = 0
  while (2 * (cut + 1) < sorted.length && confidenceWithout(cut + 1, sorted.length) >= wantedConfidence) cut += 1
  const [low, high] = [sorted[cut], sorted[sorted.length - 1 - cut]]
  if (sorted.length < 2 || low === undefined || high === undefined) return null
  return { low, high, confidence: confidenceWithout(cut, sorted.length), rounds: sorted.length }
}

/** Of the interval that leaves out so many values at each end: without it are the cases in which at most so many of the values lie on one side of the median. */
function confidenceWithout(cut: number, count: number): number {
  let [cases, outside] = [1, 0]
  for (let heads = 0; heads <= cut; heads++) {
    outside += cases
    cases = (cases * (count - heads)) / (heads + 1)
  }
  return 1 - (2 * outside) / 2 ** count
}

const wantedConfidence = 0.95
