// Uses of the library that must compile, and wrong uses that the types must reject. Compiled by the root's `tsc` and, against the built library,
// by build.serial.test.ts.
import {
  receiptStates,
  Tessera,
  verifyWebhook,
  type Card,
  type Outcome,
  type Problem,
  type ProblemOf,
  type Receipt,
  type TesseraOptions,
} from '@tessera/client'

const options: TesseraOptions = { url: 'http://127.0.0.1:8080', merchantId: '65f0c0ffee0000000000cafe', password: 'secret', fetch }

/** Never called, only compiled. */
export async function pay(token: string, maybeKey?: string): Promise<string> {
  const tessera = new Tessera(options)
  const card: Card = (await tessera.cards.check({ token })).card
  const { receipt }: { receipt: Receipt } = await tessera.receipts.create({ amount: 500_000, account: { order_id: 197 }, hold: undefined })
  const outcome: Outcome<{ receipt: Receipt }> = await tessera.outcome(
    'receipts.pay',
    { id: receipt._id, token },
    { idempotencyKey: maybeKey },
  )
  if (outcome.ok) return outcome.result.receipt.state === receiptStates.paid ? card.number : 'held'
  // @ts-expect-error A problem has no result.
  look(outcome.result)

  // @ts-expect-error The browser calls it: no card number passes through a server.
  await tessera.call('cards.create', { card: { number: '', expire: '' } })
  // @ts-expect-error It is not among the methods either.
  look(tessera.cards.create)
  // @ts-expect-error A receipt has an amount.
  await tessera.receipts.create({ account: {} })
  // @ts-expect-error An amount is a number of tiyin, not a text.
  await tessera.receipts.create({ amount: '500000' })
  // @ts-expect-error No method of this name.
  look(tessera.receipts.refund)
  // @ts-expect-error The password is required.
  look(new Tessera({ url: '', merchantId: '' }))
  return describe(outcome.problem)
}

/** Every reason is a case of its own, and an unknown reason does not compile. */
function describe(problem: Problem): string {
  switch (problem.reason) {
    case 'insufficient_funds':
      return `${problem.code}: ${problem.message}`
    case 'no_answer': {
      const isRetryable: true = problem.isRetryable
      return `later: ${isRetryable}`
    }
    case 'unlisted':
      return problem.word
    // @ts-expect-error Not a reason of the service.
    case 'no_money':
      return ''
    default:
      // @ts-expect-error Only `unlisted` has a word.
      look(problem.word)
      return problem.message
  }
}

export function receive(body: string, headers: Headers): string {
  const delivery = verifyWebhook(body, headers, { secrets: ['whsec_one', 'whsec_two'] })
  switch (delivery.type) {
    case 'receipt.paid':
      // @ts-expect-error An event of a receipt carries the card by its id alone.
      look(delivery.data.card)
      return `${delivery.id} ${delivery.data.receipt.amount}`
    case 'card.removed':
      return delivery.data.card.id
    default:
      return delivery.timestamp
  }
}

/** The problem of one reason, by name. */
export type MerchantProblem = ProblemOf<'merchant_refused'>

function look(_value: unknown): void {
  // Only its type matters.
}
