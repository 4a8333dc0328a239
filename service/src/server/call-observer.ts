import type { Profile } from '@tessera/contract/envelope'
import type { ErrorName, RpcError } from '@tessera/contract/errors'
import type { OperationName } from '@tessera/contract/operations'

import type { CallerIdentity } from '../domain/request-context.ts'

import type { Members } from './reader/members.ts'

/** What the pipeline reports to log, metrics and findings: ids, names and numbers, never params, headers or a body. */
export interface CallObserver {
  /** One call was answered; in a batch, each of its calls. */
  completed(call: CallSummary): void
  /** The reply hides its cause from the caller; `requestId` is what the caller was told. */
  failed(failure: CallFailure): void
}

export interface CallSummary {
  readonly requestId: string
  /** Null when the body named no operation that exists. */
  readonly method: OperationName | null
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
  readonly method: OperationName | null
  /** The reply: `internalError` when nobody foresaw it. */
  readonly error: ErrorName
  readonly cause: unknown
}

/** Records a completed call for the merchant's request log. Never throws, waits for nothing, and keeps none of the objects it is given. */
export type RecordCall = (call: CompletedCall) => void

/** One completed call as it was, secrets and all: the recorder stores of it what may be stored. */
export interface CompletedCall {
  readonly requestId: string
  /** Null when the body named no operation that exists. */
  readonly method: OperationName | null
  readonly profile: Profile
  /** Null as long as X-Auth has not shown who it is; then whom it names is in `xAuth`, and anybody may have sent it. */
  readonly caller: CallerIdentity | null
  readonly xAuth: string | null
  readonly params: Members
  /** Null where there is an error. */
  readonly result: unknown
  readonly error: RpcError | null
  readonly ms: number
  readonly bytes: number
}
