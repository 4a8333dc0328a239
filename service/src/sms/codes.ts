/** Where the six digits of a one-time password come from: drawn in production, fixed in the test environment. */
export interface Codes {
  /** Six decimal digits, leading zeros included. */
  draw(): string
}
