/** Where the six digits of a one-time password come from: drawn in production, fixed in the test environment. */
export interface Codes {
  /** Six decimal digits, leading zeros included. */
  draw(): string
}

/** Codes drawn evenly from all million; `randomInt` gives a secure random integer below its bound (`node:crypto`). */
export function drawnCodes(randomInt: (bound: number) => number): Codes {
  return Object.freeze({ draw: () => String(randomInt(1_000_000)).padStart(6, '0') })
}
