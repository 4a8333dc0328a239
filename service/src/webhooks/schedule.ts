/** How long after each attempt the next one comes, milliseconds: at once, then 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, 24 h, 24 h. */
export const waitsMs: readonly number[] = Object.freeze([
  0,
  5000,
  300_000,
  1_800_000,
  ...[2, 5, 10, 10, 24, 24].map((hours) => hours * 3_600_000),
])

/** How often an event is tried before it is given up. */
export const triesMax = waitsMs.length

/**
 * How long to wait after so many tries that failed, milliseconds; null: no more. `random` is from 0 to below 1: each wait is ± 20 %, so that
 * those who failed together do not come together again.
 */
export function waitAfter(tries: number, random: number): number | null {
  const wait = waitsMs[tries]
  return wait === undefined ? null : Math.round(wait * (1 - spread + 2 * spread * random))
}

const spread = 0.2
