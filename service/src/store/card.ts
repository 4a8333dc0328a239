import type { Expiry } from '@tessera/contract/card'

export interface CardKey {
  readonly bucket: number
  readonly merchantId: string
  readonly cardId: string
}

/** `live` has a sealed PAN, and so has `expired`, a kept card past its expiry; `removed` by the merchant, `ended` by the end of its life: both without. */
export type CardState = 'live' | 'expired' | 'removed' | 'ended'

export interface CardRow extends CardKey {
  /** SHA-256 of the token's secret half. */
  readonly tokenHash: Uint8Array
  /** The long mask, `860006******6311`. */
  readonly maskedPan: string
  readonly type: string
  readonly expiry: Expiry
  readonly recurrent: boolean
  readonly verified: boolean
  readonly state: CardState
  /** From 1; each change adds one. */
  readonly version: number
  /** Key of the outer layer, hex; '' once shredded. */
  readonly keyId: string
  /** The sealed PAN; empty once shredded. */
  readonly blob: Uint8Array
  /** Over everything that decides (vault/rowmac.ts). */
  readonly mac: Uint8Array
  readonly customer: string | null
  /** JSON, as given. */
  readonly account: string | null
  /** JSON: what was agreed to, or that the merchant asserted it. */
  readonly consent: string | null
  readonly createdAt: number
  readonly verifiedAt: number | null
  /** When the sealed PAN is shredded: 30 min unverified, 24 h one-time, 30 days past the expiry. */
  readonly endsAt: number
  readonly endedAt: number | null
}

/** Where a card stands in a list by the end of its life. */
export type CardPlace = Pick<CardRow, 'endsAt' | 'cardId'>

/** A card of a list whose row is not what was written: who it is, and the column that cannot be read. */
export interface BrokenCard extends CardPlace {
  readonly merchantId: string
  /** As near as a number of ours comes: where a list by time goes on behind it. */
  readonly createdAt: number
  readonly brokenAt: string
}

/** A broken row in a list keeps nobody from the rows beside it. */
export type ListedCard = CardRow | BrokenCard
