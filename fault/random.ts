/** Numbers from a seed, so that a run can be had again. */
export interface Random {
  /** A fraction, 0 to below 1. */
  next(): number
  /** A whole number, both ends included. */
  between(from: number, to: number): number
  chance(probability: number): boolean
}

/** Draws by SplitMix32; good enough to choose moments by, and for nothing secret. */
export function makeRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (probability) => next() < probability,
  }
}
