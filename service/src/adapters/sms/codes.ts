// A port with its one adapter for production; the sandbox has the other.

/** The source of one-time passwords: random in production, fixed in the test environment. */
export interface Codes {
  /** Six decimal digits, with leading zeros. */
  draw(): string
}

/** Uniformly distributed codes; `randomInt` returns a cryptographically secure integer below its bound (`node:crypto`). */
export function drawnCodes(randomInt: (bound: number) => number): Codes {
  return Object.freeze({ draw: () => String(randomInt(1_000_000)).padStart(6, '0') })
}
