import type { Language, Profile } from '@tessera/contract/envelope'
import type { MethodName, Params, Result, methods } from '@tessera/contract/methods'

/** Who calls, as far as X-Auth could prove it. */
export interface CallerIdentity {
  readonly merchantId: string
  readonly bucket: number
  /** `server` gave the password, `browser` the merchant id alone. */
  readonly as: 'server' | 'browser'
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
  /** The card number that the reader lifted out of the body, still as ASCII bytes; null when there was none. The door wipes it afterwards. */
  readonly cardNumber: Uint8Array | null
  /** Aborted when the service stops waiting (drain deadline); not when the client goes away. */
  readonly signal: AbortSignal
}

/** Which limits a method counts in. */
export type LimitClass = 'create' | 'verify' | 'read' | 'write' | 'none'

/** One row of the grid: the security posture of one method. The compiler holds `caller` and `mutates` to the contract. */
export interface Row<M extends MethodName> {
  readonly caller: (typeof methods)[M]['caller']
  readonly mutates: (typeof methods)[M]['mutates']
  readonly limits: LimitClass
  readonly run: (params: Params<M>, call: Call) => Promise<Result<M>>
}

export type Grid = { readonly [M in MethodName]: Row<M> }
