// The port; its adapters are in service/src/adapters/kms/.

/** The key that wraps the data keys. Its holder controls access to everything sealed. */
export interface Kek {
  /** Identifies the KEK; stored beside each key that it wraps. */
  readonly id: string
  readonly kind: 'development-file' | 'pkcs11' | 'transit' | 'shares'
  /** Encrypts a data key and binds it to `associated`. The caller wipes `key`. */
  wrap(key: Uint8Array, associated: Uint8Array): Promise<Uint8Array>
  /** Returns the data key, in memory of its own that the caller wipes. Throws `KekError` when anything differs from what was wrapped. */
  unwrap(wrapped: Uint8Array, associated: Uint8Array): Promise<Uint8Array>
  /** Which version of the key wrapped this, where the provider rotates a key under one id: higher is newer. */
  versionOf?(wrapped: Uint8Array): number
  /** Why the last call found the provider away; null when it did not. For readiness and people. */
  failure(): string | null
  /** Gives up what the provider holds open; calls afterwards fail. */
  close(): void
}

/** The KEK cannot be used, or does not open a wrapped key. */
export class KekError extends Error {
  override readonly name: string = 'KekError'
}

/** There is no KEK where it should be, and none may be created: something is stored already that only the right one opens. */
export class KekMissingError extends KekError {}

/** Custodians hold the KEK, and have not entered their shares in this process. */
export class KekSealedError extends KekError {}

/** The provider does not answer now; nothing is said about the wrapped key, and the call may be made again. */
export class KekUnavailableError extends KekError {
  override readonly name = 'KekUnavailableError'
}
