/** CPU time for which the preloaded measurement blocks the event loop on SIGWINCH: a control for a target of 50 ms. */
export const plantedStallMs = 80

/** How long the event loop was blocked. */
export interface EventLoopDelays {
  readonly longestMs: number
  /** The most CPU time that its thread took between two ticks of a millisecond: what is left of a stall on an idle machine. */
  readonly longestWorkMs: number
  readonly p999Ms: number
}

export interface BadLoad {
  readonly url: string
  readonly xAuth: string
  readonly connections: number
  readonly ms: number
  readonly seed: number
}

export interface BadLoadResult {
  requests: number
  results: number
  /** Replies that are not JSON. */
  invalid: number
  /** Connections that the service closed. */
  closed: number
}
