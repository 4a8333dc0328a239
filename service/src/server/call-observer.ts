import type { Profile } from '@tessera/contract/envelope'
import type { ErrorName, RpcError } from '@tessera/contract/errors'
import type { OperationName } from '@tessera/contract/operations'

import type { CallerIdentity } from '../domain/request-context.ts'

import type { Members } from './reader/members.ts'

/** Receives the reports of the pipeline for log, metrics and findings: ids, names and numbers, never params, headers or a body. */
export interface CallObserver {
  /** A call was completed; called for each call of a batch. */
  completed(call: CallSummary): void
  /** An error whose cause the caller does not get; the reply has `requestId`. */
  failed(failure: CallFailure): void
}

export interface CallSummary {
  readonly requestId: string
  /** Null if the body named no existing operation. */
  readonly method: OperationName | null
  readonly profile: Profile
  /** Null if the caller was not identified. */
  readonly merchantId: string | null
  /** Null if the caller was not identified. Not for the log, nor are the next two. */
  readonly callerKind: CallerIdentity['kind'] | null
  /** The Origin header. */
  readonly origin: string | null
  /** Whether there was a card number at `params.card.number`. */
  readonly hasCardNumber: boolean
  /** Null: the call succeeded. */
  readonly error: ErrorName | null
  readonly ms: number
  /** Since the head of the request was read; of a call in a batch, since the call began. */
  readonly sinceHeadMs: number
  /** Length of the whole body. */
  readonly bytes: number
}

export interface CallFailure {
  readonly requestId: string
  readonly method: OperationName | null
  /** The error in the reply: `internalError` for an unexpected one. */
  readonly error: ErrorName
  readonly cause: unknown
}

/** Records a completed call for the merchant's request log. Synchronous, never throws, and retains none of the objects it is given. */
export type RecordCall = (call: CompletedCall) => void

/** A completed call, secrets included. The recorder stores only what may be stored. */
export interface CompletedCall {
  readonly requestId: string
  /** Null if the body named no existing operation. */
  readonly method: OperationName | null
  readonly profile: Profile
  /** Null if the caller was not identified. `xAuth` then names a merchant that is not authenticated. */
  readonly caller: CallerIdentity | null
  readonly xAuth: string | null
  /** Of the client; not to be stored. */
  readonly address: string
  readonly params: Members
  /** Null where there is an error. */
  readonly result: unknown
  readonly error: RpcError | null
  readonly ms: number
  readonly bytes: number
}
