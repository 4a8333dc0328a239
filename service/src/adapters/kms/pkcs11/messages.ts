import type { TokenKeyNames } from './token.ts'

/** What the service requests of the process of the token; each request has one reply with its id. */
export type TokenRequest =
  | {
      readonly kind: 'open'
      /** The shared library of the HSM's maker. */
      readonly modulePath: string
      readonly names: TokenKeyNames
      readonly pin: string
      readonly mayGenerate: boolean
      /** Of an earlier opening: the key must decrypt it. Null the first time. */
      readonly check: Uint8Array | null
    }
  | { readonly kind: 'wrap'; readonly key: Uint8Array; readonly associated: Uint8Array }
  | { readonly kind: 'unwrap'; readonly wrapped: Uint8Array; readonly associated: Uint8Array }

export interface TokenCall {
  readonly id: number
  readonly request: TokenRequest
}

export type TokenReply =
  /** `check`: a sample that the key has encrypted. */
  | { readonly id: number; readonly kind: 'opened'; readonly keyId: string; readonly check: Uint8Array }
  | { readonly id: number; readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | TokenRefusal

export interface TokenRefusal {
  readonly id: number
  /**
   * `missing`: there is no key with the label. `absent`: there is no token with the label. `refused`: an operator must fix something, or the wrapped key was
   * altered. `other`: the key is not the one of the earlier opening. `unavailable`: the token or the module does not work now.
   */
  readonly kind: 'missing' | 'absent' | 'refused' | 'other' | 'unavailable'
  readonly message: string
}

/** What an operator reads when the token was exchanged. */
export const otherKey = 'the token has another key with this label now'
