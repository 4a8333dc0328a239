import { RpcError } from '@tessera/contract/errors'
import { SettingProblem } from '@tessera/contract/setting-problems'

import type { RequestContext } from '../domain/request-context.ts'
import { TamperedRowError } from '../domain/verified-rows.ts'

import type { WalkOptions } from '../store/walk.ts'

import type { AppServices } from './app-services.ts'

/**
 * An operator's request that was not done, with its message from the table; `detail` replaces `{}` in it. In the error's data, `reason` is a code for
 * programs and `message` a line for people.
 */
export function refusal(reason: OperatorReason, detail = ''): RpcError {
  return new RpcError('operatorRefused', { data: { reason, message: operatorMessages[reason].replaceAll('{}', detail) } })
}

export type OperatorReason = keyof typeof operatorMessages

/** What the operator reads, by the code of the refusal. `{}` is the detail. */
const operatorMessages = {
  merchant_required: 'The merchant is missing: --merchant <id>, of 24 hex digits; see tessera merchants list',
  merchant_unknown: 'There is no merchant {}: see tessera merchants list',
  row_tampered:
    'The row of merchant {} was not written by this service: nothing was done. The database was changed; see docs/operating/merchants.md.',
  card_unknown: 'There is no card {}.',
  pack_not_signed:
    'This is no pack of the merchant with a confirmation that its key has signed: tessera evidence --merchant <id> --signing-key <file> --publish',
  consent_none: 'There is no consent to store the card {}: it was created for one payment.',
  key_owner_required: 'A card key belongs to a merchant: tessera keys rotate card <merchant id>',
  key_owner_unexpected: 'Only a card key has a merchant.',
  key_not_destroyed: '{}',
  kek_unavailable:
    'The KEK cannot be used now: {}. No key was changed by this step; try again when tessera status does not name the part kek.',
  card_key_unknown: 'There is no card key {}, or it is destroyed: see tessera keys status',
  card_key_active: 'New cards are sealed under key {}: rotate it first, with tessera keys rotate card <merchant id>',
  reseal_running: 'The cards of key {} are being resealed already.',
  rewrap_no_next:
    'There is no other KEK: name it with TESSERA_KEK_NEXT_FILE and restart the service. Only a provider that rotates a key under one name (transit) is rewrapped without.',
  rewrap_running: 'Another process is rewrapping the keys: wait for it.',
  rewrap_not_everywhere:
    '{} other processes on this database do not have the next KEK, and could not unwrap new keys: restart each with TESSERA_KEK_NEXT_FILE. Nothing was changed.',
  rewrap_not_agreed:
    'The keys leave the set {} only when as many of its custodians as open it agree: each runs tessera keys unseal --for-rewrap. Nothing was changed.',
  sealed:
    'The service is sealed: its custodians enter their shares with tessera keys unseal, each at a terminal of their own. See tessera keys shares',
  shares_needless: 'A set of shares is in use. --next makes the set that is to replace it, for other custodians say.',
  shares_size: 'The threshold is at most the number of shares.',
  shares_being_taken: 'The shares of the set {} are being taken: tessera keys take-share, or wait until its time is over.',
  no_shares_to_take: 'There is no share to take: each is shown once. tessera keys init --shares <n> --threshold <k> makes a set.',
  core_dumps_on:
    'A crash of the service would write its memory to a disk, and the share with it: start it with LimitCORE=0 of systemd, or ulimit -c 0, and prlimit of util-linux.',
  share_malformed: 'This is not a share: {}. Nothing was counted but the wrong entry.',
  share_of_other_set: 'This is a share of the set {}, which this service does not have: see tessera keys shares',
  share_of_retired_set: 'This is a share of the set {}, which another KEK has replaced. It opens backups from before only.',
  share_not_needed:
    'This is a share of the set {}, which the sealed service does not need: its keys are of another set. tessera keys shares and /readyz say of which.',
  share_repeated: 'Share {} was entered already: another custodian has to enter another one.',
  custodian_repeated: 'The custodian {} had a share in this ceremony already: another one has to come, and says who with --custodian.',
  shares_not_of_set:
    'These {} shares do not give the KEK of their set: one of them is not as it was handed out, and which one cannot be known. All are forgotten: begin again, with other custodians.',
  set_open: 'The KEK of the set {} is open already.',
  set_not_open: 'The KEK of the set {} is not open here: only custodians of a KEK that this node has enrol nodes and agree to a rewrap.',
  node_unknown: 'There is no enrolled node {}: see tessera keys nodes',
  nodes_unavailable: 'Nodes are enrolled in a service that is not sealed.',
  nodes_refused: 'Nothing was done: {}.',
  hand_over_not_set: 'No nodes are named to ask: set TESSERA_HAND_OVER_PEERS.',
  share_backoff: 'Three entries were wrong: try again in {} s.',
  rows_being_signed: 'Another process is signing rows. Try again when it has ended: its log says rows_signed.',
  event_not_replayed: 'Unknown event, no endpoint, or it is being delivered.',
  check_running: 'A check of the store is running already: wait for it.',
  check_cancelled: 'Cancelled.',
  move_running: 'A move is running already, or is done and the service stops.',
  move_cancelled: 'Cancelled. Nothing was moved; the service goes on with its embedded database.',
  move_refused: '{}',
  copy_broken: 'The copy is not usable: {}. Nothing was signed.',
  copy_unreadable:
    'The service cannot read {}: run the command as its user, and give a folder that its unit does not hide from it. Nothing was signed.',
  clock_not_refused: 'The clock is trusted: there is nothing to confirm.',
  sms_gateway_unknown: 'There is no SMS gateway {}: tessera sms status lists them.',
  clock_time_required: 'A time is ISO 8601, as 2026-11-23T17:40:00Z.',
  clock_differs:
    'The clock says {} now, more than five minutes away from the time that was compared: nothing was done. Compare it with another clock again.',
  sandbox_none: 'Only the test environment has a sandbox.',
  scenario_unknown: 'A scenario is one of: {}.',
  step_unknown: 'A step is one of: {}.',
  network_unknown: 'There is no card network {} in the settings: see tessera settings',
  receipt_unknown: 'There is no receipt {}.',
  receipt_tampered:
    'The row of receipt {} was not written by this service: nothing was done. See docs/operating/stuck-payment.md#tampered.',
  receipt_not_unknown:
    'Only a payment whose outcome is unknown (state 20) can be resolved: nothing was done. See its state: tessera receipts show {}',
  receipt_not_flagged:
    'Only of a refunded receipt (state 50) that is flagged can be recorded that the merchant was informed: nothing was done. See its state: tessera receipts show {}',
  receipt_changed: 'The receipt changed in the meantime: nothing was done. Look at it again: tessera receipts show {}',
  receipt_paid_at_implausible:
    'The debit is more than three days away from the call of the network, so it belongs to another payment: nothing was done. See tessera receipts show {}',
  receipt_query_unspecific: 'Select receipts with --flagged, --merchant <id>, or --state with one of 1, 2, 3, 5, 6, 20, 21.',
} as const

/** The result of an administrative action. Throws the refusal when it was not done. */
export function expectAllowed<T>(result: T): Exclude<T, SettingProblem> {
  if (result instanceof SettingProblem)
    throw new RpcError('operatorRefused', { data: { reason: result.code, message: result.describe('en') } })
  return result as Exclude<T, SettingProblem>
}

/** The merchant that is named, or the demo merchant of the test environment. Throws `merchant_unknown` when there is none. */
export async function requireMerchant(named: string | undefined, { merchants, sandbox }: AppServices): Promise<string> {
  const merchantId = named ?? sandbox?.merchantId
  if (merchantId === undefined) throw refusal('merchant_required')
  if (!(await merchants.administration.isKnown(merchantId))) throw refusal('merchant_unknown', merchantId)
  return merchantId
}

/** Runs a walk through the store for an operator's command: shows how far it is, and ends it with the command. Throws `check_running`, `check_cancelled`. */
export async function runWalk<T>(
  { signal, terminal }: RequestContext,
  walk: (options: WalkOfCommand) => Promise<T> | null,
  refusals: { readonly running: OperatorReason; readonly cancelled: OperatorReason } = {
    running: 'check_running',
    cancelled: 'check_cancelled',
  },
): Promise<T> {
  const left = terminal === undefined ? signal : AbortSignal.any([signal, terminal.left])
  const running = walk({ signal: left, onProgress: (progress) => terminal?.showProgress(progress) })
  if (running === null) throw refusal(refusals.running)
  try {
    return await running
  } catch (err) {
    if (left.aborted) throw refusal(refusals.cancelled)
    throw err
  }
}

type WalkOfCommand = Required<Pick<WalkOptions, 'signal' | 'onProgress'>>

export function isoTime(at: number): string {
  return new Date(at).toISOString()
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
