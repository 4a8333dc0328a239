import type { AuditNote } from './audit.ts'
import type { CardRiders, Twin } from './riders.ts'

/** A merchant's leave for one payer to make tokens with the hosted form. The session's text is kept as its hash only. */
export interface FormSessionRow {
  readonly bucket: number
  readonly sessionId: string
  readonly merchantId: string
  /** SHA-256 of the secret half. */
  readonly hash: Uint8Array
  /** Of the page that is to hold the form. */
  readonly origin: string
  /** The merchant's own id of the payer; null when not told. */
  readonly customer: string | null
  /** Whether the cardholder may be asked to have the card kept. */
  readonly save: 'ask' | 'off'
  readonly locale: string | null
  /** Cards that may still be sent with it. */
  readonly attemptsLeft: number
  readonly createdAt: number
  readonly endsAt: number
}

export interface SpendFormSession {
  readonly bucket: number
  readonly sessionId: string
  readonly merchantId: string
  readonly hash: Uint8Array
  readonly now: number
}

/** `session`: an attempt was taken from it. The other three changed nothing. */
export type SpentFormSession =
  { readonly kind: 'session'; readonly session: FormSessionRow } | { readonly kind: 'unknown' | 'ended' | 'usedUp' }

/** Sessions of the hosted form: keyed by bucket, merchant and id. */
export interface FormStore {
  insertFormSession<R extends CardRiders | null = null>(session: FormSessionRow, audit: AuditNote, riders?: R): Promise<void | Twin<R>>
  /** Takes one attempt; one conditional statement decides, however many come at once. */
  spendFormSession(spend: SpendFormSession): Promise<SpentFormSession>
  /** Drops sessions whose time ended before a moment; tells how many. */
  dropFormSessions(before: number, stopping?: AbortSignal): Promise<number>
}
