import type { Profile } from '@tessera/contract/envelope'
import type { MethodName } from '@tessera/contract/methods'

import type { CallerIdentity, IdempotentCall, Settling } from '../methods/method.ts'

/** Calls that are made again with the same Idempotency-Key, and done once (wire §7). Wired in `main.ts`. */
export interface Idempotency {
  /** Does a call, or gives what it came to when it was first made. Throws `idempotencyMismatch` when the key belongs to another request. */
  once<T extends object>(asked: KeyedCall, deed: Deed<T>): Promise<T>
}

export interface KeyedCall {
  /** The header's value: 1 to 255 visible characters. */
  readonly key: string
  readonly caller: CallerIdentity
  readonly profile: Profile
  readonly method: MethodName
  readonly params: object
  /** ASCII, as it was lifted out of the params; null without one. */
  readonly cardNumber: Uint8Array | null
  readonly requestId: string
  readonly signal: AbortSignal
}

export interface Deed<T> {
  readonly run: (idempotency: IdempotentCall) => Promise<T>
  /** Finds out what became of it; null where nothing can be half done. */
  readonly settle: ((settling: Settling) => Promise<T | null>) | null
}

/** The header as it came: absent, a key, or nothing that could be one. */
export type IdempotencyHeader = { readonly key: string } | 'invalid' | null
