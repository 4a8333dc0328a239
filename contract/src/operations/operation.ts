import type { TSchema } from 'typebox'

import type { ErrorName } from '../errors.ts'

/**
 * Who may call an operation of the merchants' API: `browser` the merchant id is enough, `server` id:password, `serverInSpec` id:password in the
 * spec profile and either in the subscribe profile, `nobody` no X-Auth at all (docs/reference/wire.md#authentication).
 */
export type PublicCaller = 'browser' | 'server' | 'serverInSpec' | 'nobody'

/** Who may call: a merchant's browser or server, a signed-in user of the dashboard, or the operator of the service over the control socket. */
export type OperationCaller = PublicCaller | 'dashboard' | 'operator'

/** The role of a user of the dashboard. What is open to `read` is open to every role; `support` and `developer` add their own; `owner` may do everything. */
export type Role = 'read' | 'support' | 'developer' | 'owner'

/** Which rate limits a call counts in. */
export type LimitClass = 'create' | 'verify' | 'read' | 'write' | 'discover' | 'none'

/**
 * How the request log stores a member: `flag` a boolean, `number` of at most 11 digits, `timestamp` unix milliseconds as a date, `id` 24 hex digits,
 * `card` the card id of a token, `mask` a masked card number, `phone` a phone number, masked, `plainName` a plain name with too few digits for a card, an
 * account or a phone, `shape` only the type and length, `secret` only that it was present.
 */
export type MemberLogRule = 'flag' | 'number' | 'timestamp' | 'id' | 'card' | 'mask' | 'phone' | 'plainName' | 'shape' | 'secret'

/** Members by their path; `*` stands for every name. */
export type MemberLogRules = Readonly<Record<string, MemberLogRule>>

interface OperationDefinition {
  /** One line, as the list of operations shows it. */
  readonly summary: string
  readonly caller: OperationCaller
  /** Whether it changes anything: audit and idempotency apply to those that do. */
  readonly mutates: boolean
  readonly limit: LimitClass
  /** Its requests are counted by token as well: those that request a code, submit one, or pay. */
  readonly countsTowardTokenLimit?: true
  /** Its outcomes count for the failure breaker, since cards and codes can be guessed here. */
  readonly countsTowardFailureBreaker?: true
  readonly params: TSchema
  readonly result: TSchema
  /** Its own errors; those of the envelope and of authentication apply to every operation. */
  readonly errors: readonly ErrorName[]
}

/** An operation of the API that merchants call. */
export interface PublicOperationDefinition extends OperationDefinition {
  readonly caller: PublicCaller
  /** What a caller should know, in a few sentences. */
  readonly description: string
  /**
   * Everything that the request log may store of it; a member that is not named is not stored. Account fields and the merchant's own id of a payer are
   * stored when they are plain names, so that a call can be found by them; free text, phones and long numbers are not.
   */
  readonly requestLog: { readonly params: MemberLogRules; readonly result: MemberLogRules }
  /** Params of a request that succeeds in the test environment and its result in the spec profile. */
  readonly example: { readonly params: object; readonly result: object }
}

/** An operation of the merchant's dashboard: called at its own endpoint alone, with a session in place of X-Auth (docs/reference/wire.md#dashboard-and-operator). */
export interface DashboardOperationDefinition extends OperationDefinition {
  readonly caller: 'dashboard'
  /** The required role: exactly this one, or `owner`; `read`: every role; `visitor`: not signed in yet. */
  readonly role: Role | 'visitor'
  /**
   * Whether the user has to have confirmed who they are in the last minutes (`dashboard.session.confirm`). `secondFactor`: only a user who has a second
   * factor, because the params contain the password.
   */
  readonly confirmation?: 'always' | 'secondFactor'
  /** Its result has no secret, so that its length may depend on the content: docs/decisions/0132-compressed-lists.md. Without it a reply is never compressed. */
  readonly isCompressible?: true
}

/** An operation of the provider who runs the service: called over the control socket, by the command line. */
export interface OperatorOperationDefinition extends OperationDefinition {
  readonly caller: 'operator'
  readonly limit: 'none'
}

export type PublicOperation = PublicOperationDefinition & { readonly name: string }
export type DashboardOperation = DashboardOperationDefinition & { readonly name: string }
export type OperatorContract = OperatorOperationDefinition & { readonly name: string }
export type OperationContract = PublicOperation | DashboardOperation | OperatorContract

type AnyDefinition = PublicOperationDefinition | DashboardOperationDefinition | OperatorOperationDefinition

/** Defines an operation for the service, its clients and its documents: everything but what it does. */
export function defineOperation<const Name extends string, const Definition extends AnyDefinition>(
  name: Name,
  definition: Definition,
): { readonly name: Name } & Definition {
  return { name, ...definition }
}

/** Operations by their wire names. */
export function operationsByName<const Contracts extends readonly OperationContract[]>(
  ...contracts: Contracts
): OperationsByName<Contracts> {
  return Object.fromEntries(contracts.map((contract) => [contract.name, contract])) as OperationsByName<Contracts>
}

type OperationsByName<Contracts extends readonly OperationContract[]> = {
  readonly [Contract in Contracts[number] as Contract['name']]: Contract
}
