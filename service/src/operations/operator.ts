import { errorEntry, RpcError } from '@tessera/contract/errors'
import { operatorOperations, type OperatorOperationName, type OperatorParams, type OperatorResult } from '@tessera/contract/operations'
import { SettingProblem } from '@tessera/contract/setting-problems'
import { Compile, type Validator } from 'typebox/compile'

import { operatorActor, type AuditActor } from '../domain/request-context.ts'
import { TamperedRowError } from '../domain/cards/find.ts'

import type { AppServices } from './app-services.ts'

/** An operation of the operator: called by the command line over the control socket. */
export interface OperatorAction<Name extends OperatorOperationName> {
  readonly contract: (typeof operatorOperations)[Name]
  run(params: OperatorParams<Name>, ctx: AuditActor, app: AppServices): Promise<OperatorResult<Name>>
}

export type OperatorRegistry = { readonly [Name in OperatorOperationName]: OperatorAction<Name> }

/** Defines an operation of the operator: its contract and what it does. */
export function operatorOperation<Name extends OperatorOperationName>(
  contract: (typeof operatorOperations)[Name] & { readonly name: Name },
  handler: Pick<OperatorAction<Name>, 'run'>,
): OperatorAction<Name> {
  return Object.freeze({ contract, ...handler })
}

/** One request over the control socket. */
export interface OperatorRequest {
  readonly operation: string
  readonly params: unknown
}

export type OperatorReply =
  | { readonly ok: true; readonly result: unknown }
  /** `reason`: a code for programs; `message`: a line for people. */
  | { readonly ok: false; readonly reason: string; readonly message: string }

/** Handles the requests of the operator: finds the operation, validates its params, runs it, and says why it was refused. */
export function makeOperatorHandler(registry: OperatorRegistry, app: AppServices): (request: OperatorRequest) => Promise<OperatorReply> {
  const validators = new Map<string, Validator>(Object.entries(operatorOperations).map(([name, { params }]) => [name, Compile(params)]))
  return async ({ operation: name, params }) => {
    const validator = validators.get(name)
    if (validator === undefined) return refused('unknown_operation', operatorMessages.unknown_operation)
    if (!validator.Check(params)) return refused('invalid_params', describeFault(name as OperatorOperationName, validator, params))
    // The schema of this operation has just accepted the params.
    const found: unknown = registry[name as OperatorOperationName]
    const { run } = found as { run(params: unknown, ctx: AuditActor, app: AppServices): Promise<unknown> }
    try {
      return { ok: true, result: await run(params, operatorActor, app) }
    } catch (err) {
      const reply = replyTo(err)
      if (reply === null) throw err
      return reply
    }
  }
}

/** An operator's request that was not done. `reason` is a code for programs, the message is for people. */
export class OperatorRefusal extends Error {
  override readonly name = 'OperatorRefusal'
  readonly reason: string

  constructor(reason: string, message: string) {
    super(message)
    this.reason = reason
  }
}

/** A refusal with its message from the table. `detail` replaces `{}` in the message. */
export function refusal(reason: OperatorReason, detail = ''): OperatorRefusal {
  return new OperatorRefusal(reason, operatorMessages[reason].replaceAll('{}', detail))
}

export type OperatorReason = keyof typeof operatorMessages

/** What the operator reads, by the code of the refusal. `{}` is the detail. */
const operatorMessages = {
  unknown_operation: 'Unknown operation: the service may be of another version.',
  merchant_required: 'A merchant id is 24 hex digits.',
  merchant_unknown: 'There is no merchant {}: see tessera merchants list',
  row_tampered:
    'The row of merchant {} was not written by this service: nothing was done. The database was changed; see docs/operating/merchants.md.',
  card_unknown: 'There is no card {}.',
  consent_none: 'There is no consent to store the card {}: it was created for one payment.',
  key_owner_required: 'A card key belongs to a merchant: tessera keys rotate card <merchant id>',
  key_owner_unexpected: 'Only a card key has a merchant.',
  key_not_destroyed: '{}',
  event_not_replayed: 'Unknown event, no endpoint, or it is being delivered.',
  sandbox_none: 'Only the test environment has a sandbox.',
  scenario_unknown: 'A scenario is one of: {}.',
  step_unknown: 'A step is one of: {}.',
  receipt_unknown: 'There is no receipt {}.',
  receipt_tampered:
    'The row of receipt {} was not written by this service: nothing was done. See docs/operating/stuck-payment.md#tampered.',
  receipt_not_unknown:
    'Only a payment whose outcome is unknown (state 20) can be resolved: nothing was done. See its state: tessera receipts show {}',
  receipt_changed: 'The receipt changed in the meantime: nothing was done. Look at it again: tessera receipts show {}',
  receipt_paid_at_implausible:
    'The debit is more than three days away from the call of the network, so it belongs to another payment: nothing was done. See tessera receipts show {}',
  receipt_query_unspecific: 'Select receipts with --flagged, --merchant <id>, or --state with one of 1, 2, 3, 5, 6, 20, 21.',
  card_number_in_text: 'The reference or the reason contains a card number: nothing was done. Leave it out.',
} as const

/** The result of an administrative action. Throws the refusal when it was not done. */
export function expectAllowed<T>(result: T): Exclude<T, SettingProblem> {
  if (result instanceof SettingProblem) throw new OperatorRefusal(result.code, result.describe('en'))
  return result as Exclude<T, SettingProblem>
}

/** The merchant that is named, or the demo merchant of the test environment. Throws `merchant_unknown` when there is none. */
export async function requireMerchant(named: string | undefined, { merchants, sandbox }: AppServices): Promise<string> {
  const merchantId = named ?? sandbox?.merchantId
  if (merchantId === undefined) throw refusal('merchant_required')
  if (!(await merchants.administration.isKnown(merchantId))) throw refusal('merchant_unknown', merchantId)
  return merchantId
}

export function isoTime(at: number): string {
  return new Date(at).toISOString()
}

function describeFault(name: OperatorOperationName, validator: Validator, params: unknown): string {
  const [first] = validator.Errors(params)
  const missing = first?.keyword === 'required' ? first.params.requiredProperties[0] : undefined
  const member = missing ?? first?.instancePath.split('/')[1] ?? ''
  const properties = new Map<string, { readonly description?: unknown }>(Object.entries(operatorOperations[name].params.properties))
  const description = properties.get(member)?.description
  return typeof description === 'string' ? description : `The param ${member} is missing or not of its form.`
}

/** Null for an unexpected error. */
function replyTo(err: unknown): OperatorReply | null {
  if (err instanceof OperatorRefusal) return refused(err.reason, err.message)
  if (!(err instanceof RpcError)) return null
  const { reason, text, hint } = errorEntry(err.entry)
  return refused(reason, `${text.en} ${hint}`)
}

function refused(reason: string, message: string): OperatorReply {
  return { ok: false, reason, message }
}

/** Runs a function for one merchant. Throws `row_tampered` if its row has a wrong MAC. */
export async function withMerchantRow<T>(merchantId: string, run: () => Promise<T>): Promise<Exclude<T, SettingProblem>> {
  try {
    return expectAllowed(await run())
  } catch (err) {
    if (err instanceof TamperedRowError) throw refusal('row_tampered', merchantId)
    throw err
  }
}
