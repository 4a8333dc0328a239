import { RpcError } from '@tessera/contract/errors'
import type { OperationName, Params, Result, Role, operations } from '@tessera/contract/operations'
import { parseTokenKey } from '@tessera/vault/token'

import { whenDone, type Awaitable } from '../awaitable.ts'
import type { IdempotencyHandle } from '../domain/idempotency/handle.ts'
import type { PendingClaim } from '../domain/idempotency/dependencies.ts'
import type { RequestContext } from '../domain/request-context.ts'

import type { AppServices } from './app-services.ts'

/** The role that a dashboard operation requires. */
export type RequiredRole = Role | 'visitor'

/**
 * The implementation of an operation. `run` returns an outcome of the domain, `render` the result for the API. They are separate because the rendered
 * outcome is stored under the idempotency key in the transaction of the effect, before `run` returns.
 */
export interface Handler<Name extends OperationName, Outcome> {
  run(params: Params<Name>, ctx: RequestContext<Outcome>, app: AppServices): Awaitable<Outcome>
  render(outcome: Outcome, params: Params<Name>, ctx: RequestContext, app: AppServices): Result<Name>
  /** Throws faults of the params that the schema does not find, before the idempotency key is used. Stores nothing. */
  check?(params: Params<Name>, ctx: RequestContext, app: AppServices): void
  /**
   * For operations that call an external system between two transactions: finds the outcome of an earlier request that claimed the key and stored no
   * outcome. Null: not known yet. May throw the outcome. Absent if claim and outcome are one transaction.
   */
  reconcile?(claim: PendingClaim, params: Params<Name>, ctx: RequestContext, app: AppServices): Promise<Outcome | null>
}

/** An operation whose outcome is its result. */
export interface PlainHandler<Name extends OperationName> {
  run(params: Params<Name>, ctx: RequestContext<Result<Name>>, app: AppServices): Awaitable<Result<Name>>
  render?: never
  check?(params: Params<Name>, ctx: RequestContext, app: AppServices): void
  reconcile?: never
}

/** An operation: its contract (callers, limits, params, result) and its implementation. */
export type Operation<Name extends OperationName> = (PlainHandler<Name> | Handler<Name, unknown>) & {
  readonly contract: OperationRules<Name>
}

/** The part of a contract that the pipeline uses. */
export type OperationRules<Name extends OperationName = OperationName> = Pick<
  (typeof operations)[Name],
  'name' | 'caller' | 'mutates' | 'limit'
> & {
  readonly role?: RequiredRole
  readonly confirmation?: 'always' | 'secondFactor'
  readonly isCompressible?: true
  readonly countsTowardTokenLimit?: true
  readonly countsTowardFailureBreaker?: true
}

export type OperationRegistry = { readonly [Name in OperationName]: Operation<Name> }

/** Defines an operation by its contract and its implementation. */
export function operation<Name extends OperationName, Outcome>(
  contract: (typeof operations)[Name] & { readonly name: Name },
  handler: Handler<Name, Outcome>,
): Operation<Name>
export function operation<Name extends OperationName>(
  contract: (typeof operations)[Name] & { readonly name: Name },
  handler: PlainHandler<Name>,
): Operation<Name>
export function operation(contract: OperationRules, handler: object): object {
  return Object.freeze({ ...handler, contract })
}

/** The operation of a name that is known only at run time. */
export function findOperationByName<Name extends OperationName>(registry: OperationRegistry, name: Name): Operation<Name> {
  const found: unknown = registry[name]
  return found as Operation<Name>
}

/** An operation with its params and the services that it runs on. */
export interface BoundOperation<Name extends OperationName> {
  readonly operation: Operation<Name>
  readonly params: Params<Name>
  readonly app: AppServices
}

/** Runs an operation and renders its outcome. */
export function runOperation<Name extends OperationName>(
  { operation: { run, render }, params, app }: BoundOperation<Name>,
  ctx: RequestContext<unknown>,
): Awaitable<Result<Name>> {
  if (render === undefined) return run(params, ctx, app)
  return whenDone(run(params, ctx, app), (outcome) => render(outcome, params, ctx, app))
}

/**
 * Runs an operation under the limits that its contract names: counts the token, and reports the outcome to the failure breaker. Throws `tokenShape`,
 * `tokenLimit` or `failureLimit`. PANs are counted by cards.create, which reads them.
 */
export function withFineLimits<T>(
  { operation: { contract }, params, app: { limits } }: BoundOperation<OperationName>,
  { merchantId }: RequestContext,
  run: () => Awaitable<T>,
): Awaitable<T> {
  if (contract.countsTowardTokenLimit === true) limits.fine.countToken(tokenIn(params), merchantId)
  return contract.countsTowardFailureBreaker === true ? limits.failures.watch(merchantId, async () => run()) : run()
}

/** Throws `tokenShape` for a malformed token. Whether it belongs to a card is decided later. */
export function expectTokenShape({ token }: { readonly token: string }): void {
  if (parseTokenKey(token) === null) throw new RpcError('tokenShape', { data: 'token' })
}

function tokenIn(params: object): string {
  const { token } = params as { readonly token: string }
  expectTokenShape({ token })
  return token
}

/** `reconcile` with its outcome rendered; null where the operation has none. */
export function reconcilerOf<Name extends OperationName>(
  { operation: { reconcile, render }, params, app }: BoundOperation<Name>,
  ctx: RequestContext,
): ((claim: PendingClaim) => Promise<Result<Name> | null>) | null {
  if (reconcile === undefined) return null
  return async (claim) => {
    const outcome = await reconcile(claim, params, ctx, app)
    return outcome === null ? null : render(outcome, params, ctx, app)
  }
}

/** The idempotency handle for the transactions of an operation, which stores the rendered outcome. */
export function renderingHandle<Name extends OperationName>(
  { claim, outcome, confirm }: IdempotencyHandle<object>,
  { operation: { render }, params, app }: BoundOperation<Name>,
  ctx: RequestContext,
): IdempotencyHandle<unknown> {
  const rendered = (result: unknown): object => (render === undefined ? (result as object) : render(result, params, ctx, app))
  return { claim, outcome: (result) => outcome(result instanceof RpcError ? result : rendered(result)), confirm }
}
