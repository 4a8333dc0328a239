import type { Bill, ShopKind, Told } from './bill.ts'
import { ConnectionLost } from './connection.ts'
import { networkSendsPan, sandboxCode, weSendPan } from './load.ts'
import type { Random } from './random.ts'
import { openWire, tokenOf, type Outcome, type Wire, type WireStart } from './wire.ts'

export interface MoneyLoad extends WireStart {
  readonly shop: ShopKind
  readonly connections: number
  /** Every receipt that was acknowledged; new ones are added. */
  readonly bills: Bill[]
  /** Verified cards that may pay often. */
  readonly savedTokens: readonly string[]
  readonly random: Random
  /** Receipts whose payment the merchant asks for again, because nobody told it what became of it. */
  readonly again: readonly Bill[]
  /** Aborted when enough was sent; the calls under way are still waited for. */
  readonly until: AbortSignal
}

/** What no caller of a well-meant load should hear, by reason, with how often. */
export type Surprises = Map<string, number>

/** Pays, holds, confirms and cancels over several connections, writing every answer down, until told to end or the service is gone. */
export async function runMoneyLoad(load: MoneyLoad): Promise<Surprises> {
  const surprises: Surprises = new Map()
  const again = load.again.values()
  await Promise.all(Array.from({ length: load.connections }, () => onConnection(load, (wire) => work({ wire, load, surprises }, again))))
  return surprises
}

/** Cards of one connection, verified and kept. */
export async function makeSavedTokens(start: WireStart, count: number): Promise<string[]> {
  const wire = await openWire(start)
  const tokens: string[] = []
  for (let made = 0; made < count; made++) {
    tokens.push(await saveToken(wire, made % 2 === 0 ? networkSendsPan : weSendPan))
  }
  wire.close()
  return tokens
}

/** A network is waited for half a second in these runs, and a machine may stand still for as long: then another card is tried. */
async function saveToken(wire: Wire, pan: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    const token = await verified(wire, pan, true)
    if (typeof token === 'string') return token
    const why = token.kind === 'refused' ? token.reason : token.why
    if (why !== networkTimeout || tries === triesMax) throw new Error(`a card of the test environment is not verified: ${why}`)
  }
}

interface Work {
  readonly wire: Wire
  readonly load: MoneyLoad
  readonly surprises: Surprises
}

async function onConnection(load: MoneyLoad, run: (wire: Wire) => Promise<void>): Promise<void> {
  try {
    const wire = await openWire(load)
    await run(wire).finally(() => wire.close())
  } catch (err) {
    if (!(err instanceof ConnectionLost)) throw err
  }
}

async function work(at: Work, again: IterableIterator<Bill>): Promise<void> {
  const { until, random } = at.load
  for (const bill of again) {
    if (until.aborted || !(await payBill(at, bill, random.chance(0.5)))) return
  }
  while (!until.aborted && (await billAnew(at)));
}

/** One receipt's way. False when the service is gone. */
async function billAnew(at: Work): Promise<boolean> {
  const { wire, load } = at
  const { shop, random, savedTokens } = load
  const saved = savedTokens[random.between(0, savedTokens.length - 1)]
  const token = random.chance(0.3) ? await verified(wire, networkSendsPan, false) : saved
  if (token === undefined) throw new Error('there is no saved card to pay with')
  if (typeof token !== 'string') return note(at, token, [networkTimeout])
  const amountTiyin = random.between(1, 1_000_000)
  const hold = random.chance(0.35)
  const made = await wire.call('receipts.create', { amount: amountTiyin, account: { order: 'a' }, hold })
  if (made.kind !== 'result') return note(at, made, [])
  const receiptId = String(receiptOf(made.result)['_id'])
  const key = `order-${receiptId}`
  const bill: Bill = {
    receiptId,
    shop,
    amountTiyin,
    hold,
    token,
    key,
    pay: 'no',
    answers: [],
    confirm: 'no',
    confirmTiyin: 0,
    cancel: 'no',
  }
  load.bills.push(bill)
  if (random.chance(0.05)) return cancelBill(at, bill)
  if (!(await payBill(at, bill, true))) return false
  if (bill.pay !== 'paid' || load.until.aborted) return true
  if (hold && random.chance(0.6)) return confirmBill(at, bill)
  return random.chance(0.35) ? cancelBill(at, bill) : true
}

async function payBill(at: Work, bill: Bill, withKey: boolean): Promise<boolean> {
  const { receiptId, token } = bill
  const before = bill.pay
  bill.pay = 'asked'
  const outcome = await at.wire.call('receipts.pay', { id: receiptId, token }, withKey ? bill.key : undefined)
  bill.answers.push(`${outcome.kind === 'refused' ? outcome.reason : outcome.kind}${withKey ? ' (key)' : ''}`)
  if (outcome.kind === 'lost') return false
  const told = toldBy(outcome, before)
  // Under the key the first call is answered: of one without it that was made meanwhile, and fell or is under way, it says nothing.
  const isOfFirst = withKey && bill.answers.some(isWithoutKey) && (told === 'refused' || told === 'unknown')
  bill.pay = isOfFirst ? 'asked' : told
  return outcome.kind === 'result' || note(at, outcome, before === 'no' ? firstMay : againMay)
}

function isWithoutKey(answer: string): boolean {
  return !answer.endsWith('(key)')
}

function toldBy(outcome: Exclude<Outcome, { kind: 'lost' }>, before: Told): Told {
  if (outcome.kind === 'result') return 'paid'
  if (outcome.reason === 'payment_unknown') return 'unknown'
  if (refusals.has(outcome.reason)) return 'refused'
  // Debited, and its merchant silent: it is going to be paid, or given back.
  if (outcome.reason === 'merchant_closing') return 'asked'
  // It was paid by the call that nobody answered.
  if (outcome.reason === 'receipt_paid') return before === 'asked' ? 'paid' : before
  return before
}

async function confirmBill(at: Work, bill: Bill): Promise<boolean> {
  bill.confirmTiyin = at.load.random.between(1, bill.amountTiyin)
  bill.confirm = 'asked'
  const outcome = await at.wire.call(
    'receipts.confirm_hold',
    { id: bill.receiptId, amount: bill.confirmTiyin },
    `confirm-${bill.receiptId}`,
  )
  if (outcome.kind === 'result') bill.confirm = 'acknowledged'
  return outcome.kind === 'result' || note(at, outcome, ['payment_unknown'])
}

async function cancelBill(at: Work, bill: Bill): Promise<boolean> {
  bill.cancel = 'asked'
  const outcome = await at.wire.call('receipts.cancel', { id: bill.receiptId }, `cancel-${bill.receiptId}`)
  if (outcome.kind === 'result') bill.cancel = 'acknowledged'
  return outcome.kind === 'result' || note(at, outcome, [])
}

/** The token of a new card, or what came in the way. */
async function verified(wire: Wire, pan: string, save: boolean): Promise<string | Failed> {
  const made = await wire.call('cards.create', { card: { number: pan, expire: '0399' }, save })
  if (made.kind !== 'result') return made
  const token = tokenOf(made.result)
  const asked = await wire.askCode(token)
  if (asked.kind !== 'result') return asked
  const submitted = await wire.verify(token, sandboxCode)
  return submitted.kind === 'result' ? token : submitted
}

type Failed = Exclude<Outcome, { kind: 'result' }>

function receiptOf(result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { receipt } = result
  if (typeof receipt !== 'object' || receipt === null) throw new Error('the result holds no receipt')
  return receipt as Readonly<Record<string, unknown>>
}

/** False when the service is gone. */
function note({ surprises }: Work, outcome: Outcome, may: readonly string[]): boolean {
  if (outcome.kind === 'refused' && !may.includes(outcome.reason)) {
    surprises.set(outcome.reason, (surprises.get(outcome.reason) ?? 0) + 1)
  }
  return outcome.kind !== 'lost'
}

/** What the refusals of the network and of a merchant's endpoint are called: nothing was taken, or it goes back. */
const refusals: ReadonlySet<string> = new Set(['insufficient_funds', 'declined', 'debit_failed', 'merchant_refused', 'merchant_no_answer'])
const firstMay = [...refusals, 'payment_unknown', 'merchant_closing']
/** Asked again, a payment may be over, under way, undone, or its token used up. */
const againMay = [...firstMay, 'receipt_in_progress', 'receipt_paid', 'receipt_cancelled', 'card_deleted', 'card_in_use']
const networkTimeout = 'network_timeout'
const triesMax = 10
