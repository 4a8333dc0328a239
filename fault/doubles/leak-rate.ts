/** How fast `leak.ts` leaks. */
export interface Leak {
  readonly mibPerSecond: number
  readonly descriptorsPerSecond: number
}

/** The leak as JSON. */
export const leakVariable = 'FAULT_LEAK'
