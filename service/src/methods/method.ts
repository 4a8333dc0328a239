import type { Language, Profile } from '@tessera/contract/envelope'
import type { MethodName, Params, Result, Role, methods } from '@tessera/contract/methods'

import type { Settling } from '../idempotency/parts.ts'
import type { IdempotentCall } from '../idempotency/rider.ts'
import type { MerchantLimits } from '../limits/merchant-limits.ts'

export type { IdempotentCall, Settling }

/** Who calls, as far as X-Auth could prove it. */
export interface CallerIdentity {
  readonly merchantId: string
  readonly bucket: number
  /** `server` gave the password, `browser` the merchant id alone, `dashboard` a session. */
  readonly as: 'server' | 'browser' | 'dashboard'
  /** Of the dashboard. */
  readonly user?: SignedIn
  /** What was agreed with the merchant in place of the settings. */
  readonly limits?: MerchantLimits | null
}

/** A user of the dashboard with a live session. */
export interface SignedIn {
  readonly userId: string
  readonly sessionId: string
  readonly role: Role
  /** The password was issued for one sign-in. */
  readonly mustChangePassword: boolean
}

/** What the dashboard's door tells of a request: the cookie that came, and the one that is to go. */
export interface Visitor {
  /** The session's text as the cookie had it; null without one. */
  readonly cookie: string | null
  /** The header X-Tessera-CSRF. */
  readonly csrf: string | null
  readonly userAgent: string
  /** Has the reply set the cookie, or with null take it away. */
  keepCookie(session: string | null): void
}

/** What a method may know of the request beyond its params. */
export interface Call {
  /** Who is calling; rows with caller `nobody` get a nameless identity. */
  readonly caller: CallerIdentity
  readonly profile: Profile
  readonly language: Language
  /** Ours, 24 hex: the log and the audit know the request by it. */
  readonly requestId: string
  /** The client's address, for limits only. */
  readonly address: string
  /** The Origin header; null without one, so from no browser. */
  readonly origin: string | null
  /** The card number that the reader lifted out of the body, still as ASCII bytes; null when there was none. The door wipes it afterwards. */
  readonly cardNumber: Uint8Array | null
  /** Aborted when the service stops waiting (drain deadline); not when the client goes away. */
  readonly signal: AbortSignal
  /** What rides in the method's units; null: the call came without an idempotency key. */
  readonly idempotency: IdempotentCall | null
  /** At the dashboard's door alone. */
  readonly visitor?: Visitor
}

/** Which limits a method counts in. */
export type LimitClass = 'create' | 'verify' | 'read' | 'write' | 'none'

/** The least that a user of the dashboard has to be; only its own methods have one. */
export type NeededRole = Role | 'visitor'

type RoleOf<M extends MethodName> = (typeof methods)[M] extends { readonly role: infer R }
  ? { readonly role: R }
  : { readonly role?: never }

/** One row of the grid: the security posture of one method. The compiler holds `caller`, `role` and `mutates` to the contract. */
export type Row<M extends MethodName> = RowParts<M> & RoleOf<M>

export interface RowParts<M extends MethodName> {
  readonly caller: (typeof methods)[M]['caller']
  readonly mutates: (typeof methods)[M]['mutates']
  readonly limits: LimitClass
  readonly run: (params: Params<M>, call: Call) => Promise<Result<M>>
  /** Throws what is wrong with params that their schema lets pass, before an idempotency key is looked at; keeps nothing. */
  readonly check?: (params: Params<M>, call: Call) => void
  /**
   * Where the outside is asked between two commits: finds out what became of a call that nobody answered. Null: not known yet; an error may be
   * thrown. Absent where a method claims and answers in one unit.
   */
  readonly settle?: (settling: Settling, params: Params<M>, call: Call) => Promise<Result<M> | null>
}

export type Grid = { readonly [M in MethodName]: Row<M> }
