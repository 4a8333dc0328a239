/** Where the gridlines of an axis are: from 0 in equal steps of 1, 2 or 5 times a power of ten, the last one at or above `max`. */
export function axisTicks(max: number, { count = 4, isWhole = true }: { count?: number; isWhole?: boolean } = {}): number[] {
  if (!(max > 0)) return [0, isWhole ? 1 : 0.1]
  const rough = max / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = [1, 2, 5, 10].find((each) => each * power >= rough * (1 - 1e-9)) ?? 10
  const step = isWhole ? Math.max(1, factor * power) : factor * power
  const steps = Math.ceil(max / step - 1e-9)
  return Array.from({ length: steps + 1 }, (_, at) => at * step)
}

/** Which of `count` labels, each `labelWidth` wide, have room on `width`: every first, second, third … of them. */
export function labelStride(count: number, width: number, labelWidth: number): number {
  return Math.max(1, Math.ceil((count * labelWidth) / Math.max(1, width)))
}

/** The number of the step at a position, from 0; null outside. */
export function stepAt(
  x: number,
  { left, width, count }: { readonly left: number; readonly width: number; readonly count: number },
): number | null {
  const at = Math.floor(((x - left) / width) * count)
  return at >= 0 && at < count ? at : null
}

/** The position of the current step after a key; null for a key that does not move it. */
export function stepAfterKey(key: string, at: number | null, count: number): number | null {
  const last = count - 1
  if (key === 'Home') return 0
  if (key === 'End') return last
  if (key === 'ArrowRight' || key === 'ArrowUp') return at === null ? 0 : Math.min(last, at + 1)
  if (key === 'ArrowLeft' || key === 'ArrowDown') return at === null ? last : Math.max(0, at - 1)
  return null
}

/** A change from one amount to another in whole percent; null from nothing. */
export function changePercent(before: number, now: number): number | null {
  return before === 0 ? null : Math.round(((now - before) / Math.abs(before)) * 100)
}
