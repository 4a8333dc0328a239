import type { Profile } from '@tessera/contract/envelope'
import type { RpcError } from '@tessera/contract/errors'
import type { MethodName } from '@tessera/contract/methods'

import type { CallerIdentity } from '../methods/method.ts'
import type { Members } from './members.ts'

/** Takes note of an answered call for the merchant's request log. Never throws, waits for nothing, and keeps none of the objects it is shown. */
export type NoteCall = (call: AnsweredCall) => void

/** One answered call as it was, secrets and all: whoever gets it keeps of it what may be kept. */
export interface AnsweredCall {
  readonly requestId: string
  /** Null when the body named no method that exists. */
  readonly method: MethodName | null
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
