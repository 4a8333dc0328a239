/** For whom something is done, as far as the nouns need to know it. */
export interface Asker {
  readonly merchantId: string
  readonly bucket: number
  /** 24 hex: log and audit know the request by it. */
  readonly requestId: string
  /** Aborted when the service stops waiting. */
  readonly signal: AbortSignal
}
