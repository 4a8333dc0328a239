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
