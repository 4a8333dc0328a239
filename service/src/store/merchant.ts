import type { AuditNote } from './audit.ts'

/** What is asked of the merchants: a small table of its own key. */
export interface MerchantStore {
  findMerchant(merchantId: string): Promise<MerchantRow | null>
  /** Keeps a merchant if its id is new; an existing one stays as it is. Tells whether it was new. */
  insertMerchant(merchant: MerchantRow, audit: AuditNote): Promise<boolean>
  /** Puts `next` in place of version `next.version - 1`; false when that version is no longer there. */
  changeMerchant(next: MerchantRow, audit: AuditNote): Promise<boolean>
  /** In the order of their ids, from behind `after`; '' for the first page. */
  listMerchants(after: string, count: number): Promise<ListedMerchantRow[]>
  /** Remembers that a password was right; an earlier moment than the one that is known changes nothing. */
  noteCredentialUse(use: CredentialUse): Promise<void>
  listCredentialUses(merchantId: string): Promise<CredentialUse[]>
}

/** A broken row in a list keeps nobody from the rows beside it: of it there is the id, and the column that cannot be read. */
export type ListedMerchantRow = MerchantRow | { readonly id: string; readonly brokenAt: string }

export interface MerchantRow {
  readonly id: string
  readonly bucket: number
  /** From 1; each change is one more. */
  readonly version: number
  readonly state: 'active' | 'blocked'
  /** What cardholders read. */
  readonly name: string
  /** Legal name and address, '' where nobody gave them. */
  readonly organization: string
  readonly address: string
  /** JSON of what is agreed with it: `merchants/settings.ts` reads and writes it. */
  readonly settings: string
  /** Newest first: two are live during a rotation, the others have been retired. */
  readonly credentials: readonly Credential[]
  readonly createdAt: number
  /** Row MAC over all of the above; empty in a row of before there were any. */
  readonly mac: Uint8Array
}

/** A password of a merchant, or what is left of one. */
export interface Credential {
  /** From 1, in the order in which a merchant had them. */
  readonly number: number
  /** 32 bytes, the keyed hash under the pepper of `pepperKeyId`; empty once it has been retired. */
  readonly hash: Uint8Array
  readonly pepperKeyId: string
  readonly createdAt: number
  readonly retiredAt: number | null
}

export interface CredentialUse {
  readonly merchantId: string
  readonly number: number
  readonly lastUsedAt: number
}
