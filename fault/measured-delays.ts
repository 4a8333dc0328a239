/** How long the event loop was blocked. */
export interface EventLoopDelays {
  readonly longestMs: number
  /** The most CPU time that its thread took between two ticks of a millisecond: what is left of a stall on an idle machine. */
  readonly longestWorkMs: number
  readonly p999Ms: number
}

/** Names the file that gets the delays, in the environment of the service. */
export const delaysFileVariable = 'EVENT_LOOP_DELAYS_FILE'
/** CPU time for which the measurement blocks the event loop on SIGWINCH: a control for a target of 50 ms. */
export const plantedStallMs = 80
