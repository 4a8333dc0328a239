import type { Profile } from '@tessera/contract/envelope'
import type { ErrorName } from '@tessera/contract/errors'
import type { MethodName } from '@tessera/contract/methods'

import type { CallerIdentity } from '../methods/method.ts'

/** What the door tells the log: ids, names and figures, never params, headers or a body. Wired in `main.ts`. */
export interface Journal {
  /** One call was answered; in a batch, each of its calls. */
  called(entry: CallEntry): void
  /** The answer hides its cause from the caller; `requestId` is what the caller was told. */
  failed(failure: CallFailure): void
}

export interface CallEntry {
  readonly requestId: string
  /** Null when the body named no method that exists. */
  readonly method: MethodName | null
  readonly profile: Profile
  /** Null as long as X-Auth has not shown who it is. */
  readonly merchantId: string | null
  /** How far it has shown so; null with it. Not for the log, as the two below. */
  readonly as: CallerIdentity['as'] | null
  /** The Origin header. */
  readonly origin: string | null
  /** Whether a card number stood at `params.card.number`. */
  readonly hasCardNumber: boolean
  /** Null: it succeeded. */
  readonly error: ErrorName | null
  readonly ms: number
  /** Length of the whole body. */
  readonly bytes: number
}

export interface CallFailure {
  readonly requestId: string
  readonly method: MethodName | null
  /** How it was answered: `internalError` when nobody foresaw it. */
  readonly error: ErrorName
  readonly cause: unknown
}
