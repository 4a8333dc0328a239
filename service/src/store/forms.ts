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
  /** Where the hosted page sends the cardholder afterwards; null: the form stands in a page of the merchant's. */
  readonly returnTo: string | null
  /** When the cardholder turned back on the hosted page; 0: not. */
  readonly cancelledAt: number
  /** Of everything above; of none for a row from before there were any. */
  readonly mac: Uint8Array
}

/** A card that was sent with a session of the hosted page; its token sealed under the session's own text, which is kept nowhere. */
export interface FormCardRow {
  readonly bucket: number
  readonly sessionId: string
  readonly cardId: string
  /** Of the data key. */
  readonly keyId: string
  readonly sealed: Uint8Array
  readonly createdAt: number
  readonly endsAt: number
}

/** One session, by whoever has its text. */
export interface FormSessionKey {
  readonly bucket: number
  readonly merchantId: string
  readonly sessionId: string
  readonly hash: Uint8Array
}

/** Sessions of the hosted form: keyed by bucket, merchant and id. */
export interface FormStore {
  insertFormSession<R extends CardRiders | null = null>(session: FormSessionRow, audit: AuditNote, riders?: R): Promise<void | Twin<R>>
  findFormSession(key: FormSessionKey): Promise<FormSessionRow | null>
  /** Puts the attempts, the turning back and the MAC of `session` in place of those of the row whose MAC is `before`; false, and nothing, when that row is no more. */
  changeFormSession(session: FormSessionRow, before: Uint8Array, audit: AuditNote | null): Promise<boolean>
  keepFormCard(card: FormCardRow): Promise<void>
  /** The cards of a session whose tokens are still kept, newest first; at most ten. */
  listFormCards(of: Pick<FormSessionKey, 'bucket' | 'sessionId'>): Promise<readonly FormCardRow[]>
  /** Drops sealed tokens whose time ended before a moment; tells how many. */
  dropFormCards(before: number, stopping?: AbortSignal): Promise<number>
  /** Drops sessions whose time ended before a moment; tells how many. */
  dropFormSessions(before: number, stopping?: AbortSignal): Promise<number>
}
