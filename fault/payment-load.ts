import type { ReceiptRecord, ShopKind, KnownPaymentState } from './receipt-record.ts'
import { ConnectionLost } from './http-connection.ts'
import { panWithNetworkOtp, testOtp, panWithOurOtp } from './load.ts'
import type { Random } from './random.ts'
import { openApiClient, tokenOf, type CallOutcome, type ApiClient, type ApiClientOptions } from './api-client.ts'

export interface PaymentLoad extends ApiClientOptions {
  readonly shop: ShopKind
  readonly connections: number
  /** Every acknowledged receipt; new ones are added. */
  readonly receipts: ReceiptRecord[]
  /** Tokens of verified cards that may pay more than once. */
  readonly savedTokens: readonly string[]
  readonly random: Random
  /** Receipts whose payment the merchant retries, because it does not know the outcome. */
  readonly retried: readonly ReceiptRecord[]
  /** Aborted when enough was sent. Calls in progress are still waited for. */
  readonly until: AbortSignal
  /** Called with how long each payment, confirmation and cancellation took, also when it got no reply. */
  readonly onReply: (ms: number) => void
}

/** The number of replies that no correct load should receive, by reason. */
export type UnexpectedReplies = Map<string, number>

/** Pays, holds, confirms and cancels over several connections, and records every reply, until it is aborted or the service is gone. */
export async function runPaymentLoad(load: PaymentLoad): Promise<UnexpectedReplies> {
  const unexpected: UnexpectedReplies = new Map()
  const again = load.retried.values()
  await Promise.all(
    Array.from({ length: load.connections }, () => onConnection(load, (client) => work({ client, load, unexpected }, again))),
  )
  return unexpected
}

/** Creates verified cards with `save: true`, and returns their tokens. */
export async function makeSavedTokens(start: ApiClientOptions, count: number): Promise<string[]> {
  const client = await openApiClient(start)
  const tokens: string[] = []
  for (let made = 0; made < count; made++) {
    tokens.push(await saveToken(client, made % 2 === 0 ? panWithNetworkOtp : panWithOurOtp))
  }
  client.close()
  return tokens
}

/** The network timeout is half a second in these runs, and a busy machine may stall for as long: then another card is tried. */
async function saveToken(client: ApiClient, pan: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const token = await createVerifiedCard(client, pan, true)
    if (typeof token === 'string') return token
    const why = token.kind === 'refused' ? token.reason : token.why
    if (why !== networkTimeout || attempt === maxAttempts) throw new Error(`a card of the test environment could not be verified: ${why}`)
  }
}

interface Work {
  readonly client: ApiClient
  readonly load: PaymentLoad
  readonly unexpected: UnexpectedReplies
}

async function onConnection(load: PaymentLoad, run: (client: ApiClient) => Promise<void>): Promise<void> {
  try {
    const client = await openApiClient(load)
    await run(client).finally(() => client.close())
  } catch (err) {
    if (!(err instanceof ConnectionLost)) throw err
  }
}

async function work(at: Work, again: IterableIterator<ReceiptRecord>): Promise<void> {
  const { until, random } = at.load
  for (const receipt of again) {
    if (until.aborted || !(await payReceipt(at, receipt, random.chance(0.5)))) return
  }
  while (!until.aborted && (await payNewReceipt(at)));
}

/** Creates a receipt and pays, confirms or cancels it. Returns false when the service is gone. */
async function payNewReceipt(at: Work): Promise<boolean> {
  const { client, load } = at
  const { shop, random, savedTokens } = load
  const saved = savedTokens[random.between(0, savedTokens.length - 1)]
  const token = random.chance(0.3) ? await createVerifiedCard(client, panWithNetworkOtp, false) : saved
  if (token === undefined) throw new Error('there is no saved card to pay with')
  if (typeof token !== 'string') return countUnexpected(at, token, [networkTimeout])
  const amountTiyin = random.between(1, 1_000_000)
  const hold = random.chance(0.35)
  const made = await client.call('receipts.create', { amount: amountTiyin, account: { order: 'a' }, hold })
  if (made.kind !== 'result') return countUnexpected(at, made, [])
  const receiptId = String(receiptOf(made.result)['_id'])
  const key = `order-${receiptId}`
  const receipt: ReceiptRecord = {
    receiptId,
    shop,
    amountTiyin,
    hold,
    token,
    key,
    pay: 'none',
    replies: [],
    confirm: 'none',
    confirmTiyin: 0,
    cancel: 'none',
  }
  load.receipts.push(receipt)
  if (random.chance(0.05)) return cancelReceipt(at, receipt)
  if (!(await payReceipt(at, receipt, true))) return false
  if (receipt.pay !== 'paid' || load.until.aborted) return true
  if (hold && random.chance(0.6)) return confirmReceipt(at, receipt)
  return random.chance(0.35) ? cancelReceipt(at, receipt) : true
}

async function payReceipt(at: Work, receipt: ReceiptRecord, withKey: boolean): Promise<boolean> {
  const { receiptId, token } = receipt
  const before = receipt.pay
  receipt.pay = 'sent'
  const outcome = await measureCall(at, 'receipts.pay', { id: receiptId, token }, withKey ? receipt.key : undefined)
  receipt.replies.push(`${outcome.kind === 'refused' ? outcome.reason : outcome.kind}${withKey ? ' (key)' : ''}`)
  if (outcome.kind === 'lost') return false
  const state = readPaymentState(outcome, before)
  // The key returns the first call's reply. It says nothing about a call without the key that was interrupted or is still in progress.
  const isFirstReply = withKey && receipt.replies.some(isWithoutKey) && (state === 'refused' || state === 'unknown')
  receipt.pay = isFirstReply ? 'sent' : state
  return outcome.kind === 'result' || countUnexpected(at, outcome, before === 'none' ? expectedFirstReasons : expectedRetryReasons)
}

async function measureCall({ client, load }: Work, ...call: Parameters<ApiClient['call']>): Promise<CallOutcome> {
  const sentAt = performance.now()
  const outcome = await client.call(...call)
  load.onReply(performance.now() - sentAt)
  return outcome
}

function isWithoutKey(reply: string): boolean {
  return !reply.endsWith('(key)')
}

function readPaymentState(outcome: Exclude<CallOutcome, { kind: 'lost' }>, before: KnownPaymentState): KnownPaymentState {
  if (outcome.kind === 'result') return 'paid'
  if (outcome.reason === 'payment_unknown') return 'unknown'
  if (refusals.has(outcome.reason)) return 'refused'
  // Debited, and the merchant has not replied: it will be paid or refunded. Or the process of the first call was killed: nobody knows yet.
  if (outcome.reason === 'merchant_closing' || outcome.reason === 'outcome_unknown') return 'sent'
  // It was paid by the call without a reply.
  if (outcome.reason === 'receipt_paid') return before === 'sent' ? 'paid' : before
  return before
}

async function confirmReceipt(at: Work, receipt: ReceiptRecord): Promise<boolean> {
  receipt.confirmTiyin = at.load.random.between(1, receipt.amountTiyin)
  receipt.confirm = 'sent'
  const params = { id: receipt.receiptId, amount: receipt.confirmTiyin }
  const outcome = await measureCall(at, 'receipts.confirm_hold', params, `confirm-${receipt.receiptId}`)
  if (outcome.kind === 'result') receipt.confirm = 'acknowledged'
  return outcome.kind === 'result' || countUnexpected(at, outcome, ['payment_unknown'])
}

async function cancelReceipt(at: Work, receipt: ReceiptRecord): Promise<boolean> {
  receipt.cancel = 'sent'
  const outcome = await measureCall(at, 'receipts.cancel', { id: receipt.receiptId }, `cancel-${receipt.receiptId}`)
  if (outcome.kind === 'result') receipt.cancel = 'acknowledged'
  return outcome.kind === 'result' || countUnexpected(at, outcome, [])
}

/** The token of a new verified card, or the call that failed. */
async function createVerifiedCard(client: ApiClient, pan: string, save: boolean): Promise<string | FailedCall> {
  const made = await client.call('cards.create', { card: { number: pan, expire: '0399' }, save })
  if (made.kind !== 'result') return made
  const token = tokenOf(made.result)
  const requested = await client.requestCode(token)
  if (requested.kind !== 'result') return requested
  const submitted = await client.verify(token, testOtp)
  return submitted.kind === 'result' ? token : submitted
}

type FailedCall = Exclude<CallOutcome, { kind: 'result' }>

function receiptOf(result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { receipt } = result
  if (typeof receipt !== 'object' || receipt === null) throw new Error('the result holds no receipt')
  return receipt as Readonly<Record<string, unknown>>
}

/** Returns false when the service is gone. */
function countUnexpected({ unexpected }: Work, outcome: CallOutcome, may: readonly string[]): boolean {
  if (outcome.kind === 'refused' && !may.includes(outcome.reason)) {
    unexpected.set(outcome.reason, (unexpected.get(outcome.reason) ?? 0) + 1)
  }
  return outcome.kind !== 'lost'
}

/** Reasons of refusals by the network and by a merchant's endpoint: nothing was debited, or it is refunded. */
const refusals: ReadonlySet<string> = new Set(['insufficient_funds', 'declined', 'debit_failed', 'merchant_refused', 'merchant_no_answer'])
const expectedFirstReasons = [...refusals, 'payment_unknown', 'merchant_closing']
/** A retried payment may be complete, in progress or cancelled, or its token may be used up. */
const expectedRetryReasons = [
  'outcome_unknown',
  ...expectedFirstReasons,
  'receipt_in_progress',
  'receipt_paid',
  'receipt_cancelled',
  'card_deleted',
  'card_in_use',
]
const networkTimeout = 'network_timeout'
const maxAttempts = 10
