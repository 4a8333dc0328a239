import type { ExampleCaller } from './callers.ts'
import type { ExampleFaults } from './example-adapters.ts'
import type { PastClock } from './past-clock.ts'
import type { ShopTotals } from './totals.ts'
import type { PlannedVisit } from './traffic.ts'

/** Something that happens later, such as a refund. */
export interface LaterEvent {
  readonly at: number
  run(): Promise<void>
}

export interface VisitDependencies {
  readonly clock: PastClock
  readonly faults: ExampleFaults
  readonly server: ExampleCaller
  /** The shop's page, from the customer's address. */
  readonly page: (address: string) => ExampleCaller
  /** Refunds a receipt as somebody of the support does, in the dashboard. */
  readonly refundBySupport: (receiptId: string) => Promise<boolean>
  /** The fields of `account` for the next order. */
  readonly nextAccount: (customer: number) => Readonly<Record<string, string>>
  readonly totals: ShopTotals
  readonly later: (event: LaterEvent) => void
  /** The number of a test card by its last four digits. */
  readonly cardNumber: (lastFour: string) => string
}

interface CreatedCard {
  readonly card: { readonly token: string }
}

interface ReceiptReply {
  readonly receipt: { readonly _id: string; readonly state: number }
}

/** Carries out the visits of one shop, with the calls that its page and its server would make. */
export function makeVisits(deps: VisitDependencies): (visit: PlannedVisit) => Promise<void> {
  const { clock, faults, server, totals } = deps
  /** Verified cards that customers saved. */
  const saved = new Map<number, string>()

  return async (visit) => {
    const page = deps.page(visit.address)
    const token = saved.get(visit.customer) ?? (await takeCard(visit, page))
    if (token === null) return
    await pay(visit, token)
    if (visit.customer % 23 === 0 && saved.delete(visit.customer)) {
      await server.expect('cards.remove', { token })
      totals.cardsRemoved += 1
    }
  }

  /** A verified token; null when the customer leaves without one. */
  async function takeCard(visit: PlannedVisit, page: ExampleCaller): Promise<string | null> {
    const customer = customerId(visit.customer)
    const created = await page.expect<CreatedCard>('cards.create', {
      card: { number: deps.cardNumber(visit.card), expire: '0399' },
      save: visit.isSaved,
      customer,
    })
    totals.cardsCreated += 1
    const { token } = created.card
    passSeconds(4)
    // Only this card's network takes its time.
    const asked = page.call('cards.get_verify_code', { token })
    const { reason } = visit.card === slowCard ? await clock.passing(asked) : await asked
    if (reason !== null) {
      totals.codesFailed += 1
      return null
    }
    if (!(await enterCode(visit, token, page))) return null
    totals.cardsVerified += 1
    if (visit.isSaved) saved.set(visit.customer, token)
    return token
  }

  async function enterCode({ verification }: PlannedVisit, token: string, page: ExampleCaller): Promise<boolean> {
    if (verification === 'abandoned') return false
    const wrong = verification === 'right' ? 0 : verification === 'wrongOnce' ? 1 : wrongCodesMax
    for (let attempt = 0; attempt < wrong; attempt++) {
      passSeconds(11)
      await page.call('cards.verify', { token, code: '123123' })
    }
    if (verification === 'allWrong') return false
    passSeconds(15)
    await page.expect('cards.verify', { token, code: '666666' })
    return true
  }

  async function pay(visit: PlannedVisit, token: string): Promise<void> {
    const { payment, amountTiyin: amount } = visit
    const receipt = await server.expect<ReceiptReply>('receipts.create', {
      amount,
      account: deps.nextAccount(visit.customer),
      ...(visit.amountTiyin % 100 === 0 ? {} : { description: 'With delivery' }),
    })
    totals.receipts += 1
    const id = receipt.receipt._id
    if (payment.kind === 'unpaid') return
    passSeconds(8)
    if (payment.kind === 'cancelledUnpaid') {
      await server.expect('receipts.cancel', { id })
      return
    }
    const attempt = { id, token, visit }
    if (payment.kind === 'lostReply') return authorize(attempt, 'lostReply')
    if (payment.kind === 'declined') {
      await authorize(attempt, payment.reason)
      totals.declined += 1
      if (payment.then === 'leaves') return
      passSeconds(40)
    }
    if (payment.kind === 'held') return hold(attempt, payment)
    await authorize(attempt, null)
    totals.paid += 1
    totals.paidTiyin += amount
    if (payment.kind === 'refunded') refundLater(id, visit, payment)
    if (visit.isReceiptSent) await server.call('receipts.send', { id, phone: customerPhone(visit.customer) })
  }

  async function authorize({ id, token, visit, hold = false }: PaymentAttempt, fault: ExampleFaults['nextPayment']): Promise<void> {
    faults.nextPayment = fault
    const payer = { id: customerId(visit.customer), phone: customerPhone(visit.customer) }
    const { reason } = await server.call('receipts.pay', { id, token, payer, ...(hold ? { hold } : {}) })
    faults.nextPayment = null
    if ((reason === null) !== (fault === null)) throw new Error(`receipts.pay ended unexpectedly: ${reason ?? 'paid'}`)
  }

  async function hold(attempt: PaymentAttempt, { afterMs, then }: PlannedHold): Promise<void> {
    await authorize({ ...attempt, hold: true }, null)
    totals.held += 1
    const { id, visit } = attempt
    if (then === 'left') return
    deps.later({
      at: clock.now() + afterMs,
      async run() {
        if (then === 'released') {
          await server.expect('receipts.cancel', { id })
          return
        }
        const captured = then === 'captured' ? visit.amountTiyin : Math.round((visit.amountTiyin * 0.7) / 50_000) * 50_000
        await server.expect('receipts.confirm_hold', { id, amount: captured })
        totals.captured += 1
        totals.paid += 1
        totals.paidTiyin += captured
      },
    })
  }

  function refundLater(id: string, visit: PlannedVisit, { afterMs, by }: PlannedRefund): void {
    deps.later({
      at: clock.now() + afterMs,
      async run() {
        if (by === 'server') await server.expect('receipts.cancel', { id })
        else if (!(await deps.refundBySupport(id))) return
        totals.refunded += 1
        totals.refundedTiyin += visit.amountTiyin
      },
    })
  }

  function passSeconds(seconds: number): void {
    clock.moveTo(clock.now() + seconds * 1000)
  }
}

interface PaymentAttempt {
  readonly id: string
  readonly token: string
  readonly visit: PlannedVisit
  readonly hold?: boolean
}

type PlannedHold = Extract<PlannedVisit['payment'], { kind: 'held' }>
type PlannedRefund = Extract<PlannedVisit['payment'], { kind: 'refunded' }>

export function customerId(customer: number): string {
  return `customer-${String(1000 + customer)}`
}

/** Numbers that no operator in Uzbekistan assigns. */
function customerPhone(customer: number): string {
  return `99800${String(1_000_000 + customer * 37).slice(0, 7)}`
}

const slowCard = '9596'
const wrongCodesMax = 5
