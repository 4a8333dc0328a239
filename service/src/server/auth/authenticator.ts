import type { Profile } from '@tessera/contract/envelope'
import type { OperationName } from '@tessera/contract/operations'

import type { CallerIdentity, DashboardBrowser } from '../../domain/request-context.ts'
import type { OperationRules } from '../../operations/operation.ts'
import type { RequestFault } from '../reader/fault.ts'

/** Decides who may call what at one endpoint: the API's by X-Auth, the dashboard's by a session. */
export interface Authenticator {
  /** Whether an operation is served here; elsewhere it is as unknown as any other name. */
  serves(method: OperationName): boolean
  /** Finds out who calls. Throws, or returns as a fault, why this caller may not call this operation. */
  authenticate(operation: AuthenticationRules, request: AuthenticationRequest): Promise<CallerAuthentication>
}

/** What of an operation's contract decides who may call it. */
export type AuthenticationRules = Pick<OperationRules, 'name' | 'caller' | 'role'>

/** What of a request says who is calling. */
export interface RequestCredentials {
  /** The X-Auth header; null when there is none, or more than one. */
  readonly xAuth: string | null
  /** The Origin header. */
  readonly origin: string | null
  /** Whether a browser sent it, by its own word: Origin or Sec-Fetch-Site is there. */
  readonly isFromBrowser: boolean
  readonly profile: Profile
}

export interface AuthenticationRequest extends RequestCredentials {
  /** The client's address. */
  readonly address: string
  /** At the dashboard's endpoint only. */
  readonly browser: DashboardBrowser | undefined
}

/** `merchantId` is known, for the log, also when the caller is refused after it has shown who it is. */
export interface CallerAuthentication {
  readonly identity: CallerIdentity
  readonly merchantId: string | null
  readonly fault: RequestFault | null
}
