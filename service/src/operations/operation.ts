import { RpcError } from '@tessera/contract/errors'
import type { OperationName, Params, Result, Role, operations } from '@tessera/contract/operations'

import type { AppServices } from '../app/services.ts'
import type { IdempotencyHandle } from '../domain/idempotency/handle.ts'
import type { UnansweredClaim } from '../domain/idempotency/dependencies.ts'
import type { RequestContext } from '../domain/request-context.ts'

/** The least that a user of the dashboard has to be; only its own operations have one. */
export type NeededRole = Role | 'visitor'

/**
 * What an operation does. `run` returns an outcome of the domain, `render` the result as it goes over the wire. The two are apart because the
 * rendered outcome is stored under the idempotency key in the transaction of the effect, before `run` is back.
 */
export interface Handler<Name extends OperationName, Outcome> {
  run(params: Params<Name>, ctx: RequestContext<Outcome>, app: AppServices): Promise<Outcome>
  render(outcome: Outcome, params: Params<Name>, ctx: RequestContext, app: AppServices): Result<Name>
  /** Throws what is wrong with params that their schema lets pass, before an idempotency key is looked at. Stores nothing. */
  check?(params: Params<Name>, ctx: RequestContext, app: AppServices): void
  /**
   * For operations that call the outside between two commits: finds the outcome of an earlier request that claimed the key and stored none. Null:
   * not known yet; an error may be thrown. Absent where claim and outcome are one transaction.
   */
  reconcile?(claim: UnansweredClaim, params: Params<Name>, ctx: RequestContext, app: AppServices): Promise<Outcome | null>
}

/** An operation whose outcome is its result. */
export interface PlainHandler<Name extends OperationName> {
  run(params: Params<Name>, ctx: RequestContext<Result<Name>>, app: AppServices): Promise<Result<Name>>
  render?: never
  check?(params: Params<Name>, ctx: RequestContext, app: AppServices): void
  reconcile?: never
}

/** An operation: its contract says who may call it, how it is limited and what it takes and returns; the handler says what it does. */
export type Operation<Name extends OperationName> = (PlainHandler<Name> | Handler<Name, unknown>) & {
  readonly contract: OperationRules<Name>
}

/** What the pipeline reads of a contract. */
export type OperationRules<Name extends OperationName = OperationName> = Pick<
  (typeof operations)[Name],
  'name' | 'caller' | 'mutates' | 'limit'
> & { readonly role?: NeededRole; readonly countsToken?: true; readonly watchesFailures?: true }

export type OperationRegistry = { readonly [Name in OperationName]: Operation<Name> }

/** Defines an operation: its contract and what it does. */
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

/** The operation of a name that is known only when the program runs. */
export function findOperationByName<Name extends OperationName>(registry: OperationRegistry, name: Name): Operation<Name> {
  const found: unknown = registry[name]
  return found as Operation<Name>
}

/** An operation with the services that it runs on. */
export interface BoundOperation<Name extends OperationName> {
  readonly operation: Operation<Name>
  readonly params: Params<Name>
  readonly app: AppServices
}

/** Runs an operation and renders its outcome. */
export async function runOperation<Name extends OperationName>(
  { operation: { run, render }, params, app }: BoundOperation<Name>,
  ctx: RequestContext<unknown>,
): Promise<Result<Name>> {
  if (render === undefined) return run(params, ctx, app)
  return render(await run(params, ctx, app), params, ctx, app)
}

/** `reconcile` with its outcome rendered; null where the operation has none. */
export function reconcilerOf<Name extends OperationName>(
  { operation: { reconcile, render }, params, app }: BoundOperation<Name>,
  ctx: RequestContext,
): ((claim: UnansweredClaim) => Promise<Result<Name> | null>) | null {
  if (reconcile === undefined) return null
  return async (claim) => {
    const outcome = await reconcile(claim, params, ctx, app)
    return outcome === null ? null : render(outcome, params, ctx, app)
  }
}

/** The handle for the operation's transactions: they store the outcome as it goes over the wire. */
export function renderingHandle<Name extends OperationName>(
  { claim, answer }: IdempotencyHandle<object>,
  { operation: { render }, params, app }: BoundOperation<Name>,
  ctx: RequestContext,
): IdempotencyHandle<unknown> {
  const rendered = (outcome: unknown): object => (render === undefined ? (outcome as object) : render(outcome, params, ctx, app))
  return { claim, answer: (outcome) => answer(outcome instanceof RpcError ? outcome : rendered(outcome)) }
}
