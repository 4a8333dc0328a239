/** What happened, for the audit chain: ids and words, never a PAN, token, code or phone. */
export interface AuditNote {
  readonly at: number
  /** `merchant:<id>`, `operator`, `system`. */
  readonly actor: string
  readonly action: string
  readonly merchantId: string
  /** Card id, key id or other id that it was done to. */
  readonly subject: string
  /** Version and row MAC that the change left, when it left one. */
  readonly version: number
  readonly mac: Uint8Array
  /** The request's id in our log, and the outcome in a word. */
  readonly requestId: string
  readonly outcome: string
}

export interface AuditEntry extends AuditNote {
  readonly chain: string
  readonly seq: number
  readonly hash: Uint8Array
}

export interface AuditHead {
  readonly chain: string
  readonly seq: number
  readonly hash: Uint8Array
}
