import type { TSchema } from 'typebox'

import type { ErrorName } from './errors.ts'

/**
 * Who may call: `browser` the merchant id is enough, `server` id:password, `serverInSpec` id:password in the spec profile and either in
 * the subscribe profile, `nobody` no X-Auth at all (wire §4).
 */
export type Caller = 'browser' | 'server' | 'serverInSpec' | 'nobody'

export interface MethodEntry {
  /** One line, as the list of methods shows it. */
  readonly summary: string
  /** What the caller should know, in a few sentences. */
  readonly description: string
  readonly caller: Caller
  /** Whether it changes anything: audit and idempotency apply to those that do. */
  readonly mutates: boolean
  readonly params: TSchema
  readonly result: TSchema
  /** The outcomes of its own; those of the envelope and of X-Auth come with every method. */
  readonly errors: readonly ErrorName[]
  /** Params of a request that succeeds in the test environment and its result in the spec profile. */
  readonly example: { readonly params: object; readonly result: object }
}

/** What a user of the dashboard may do: `read` is every role; `support` and `developer` stand beside each other; `owner` may everything. */
export type Role = 'read' | 'support' | 'developer' | 'owner'

/** A method of the merchant's dashboard: asked at its own door alone, with a session in place of X-Auth (wire §7). */
export interface DashboardEntry {
  readonly summary: string
  readonly caller: 'dashboard'
  /** The least that its user has to be; `visitor`: nobody has signed in yet. */
  readonly role: Role | 'visitor'
  readonly mutates: boolean
  readonly params: TSchema
  readonly result: TSchema
  /** The outcomes of its own. */
  readonly errors: readonly ErrorName[]
}
