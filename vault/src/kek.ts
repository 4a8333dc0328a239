/** The lock of the data keys. Whoever holds it decides who may open anything at all. */
export interface Kek {
  /** Tells one KEK from another; kept beside each key that it wraps. */
  readonly id: string
  readonly kind: 'development-file' | 'pkcs11' | 'shares'
  /** Encrypts a data key and binds it to `associated`. The caller wipes `key`. */
  wrap(key: Uint8Array, associated: Uint8Array): Promise<Uint8Array>
  /** Gives the data key back, in memory of its own that the caller wipes. Throws `KekRefused` when anything at all is not as it was wrapped. */
  unwrap(wrapped: Uint8Array, associated: Uint8Array): Promise<Uint8Array>
}

/** A KEK that cannot be used, or that does not open what it was given. */
export class KekRefused extends Error {
  override readonly name = 'KekRefused'
}
