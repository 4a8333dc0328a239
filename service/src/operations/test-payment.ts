import { RpcError } from '@tessera/contract/errors'
import type { Result } from '@tessera/contract/operations'

import { createCard } from '../domain/cards/create.ts'
import type { CardServices } from '../domain/cards/services.ts'
import type { Clock } from '../clock.ts'
import type { Merchants } from '../domain/merchants/merchants.ts'
import { noSettings } from '../domain/merchants/settings.ts'
import type { Receipts } from '../domain/payments/receipts.ts'
import type { TestCredentials } from '../domain/reporting/getting-started.ts'
import type { RequestContext } from '../domain/request-context.ts'
import type { Verification } from '../domain/verification/verification.ts'

import { exampleReceipt } from './sample-account.ts'

export interface TestPaymentDependencies {
  readonly cards: CardServices
  readonly verification: Pick<Verification, 'requestCode' | 'verifyCode'>
  readonly receipts: Pick<Receipts, 'create' | 'pay'>
  readonly merchants: Pick<Merchants, 'find'>
}

/** The test cards and the clock. */
export interface TestPaymentSetup {
  readonly testing: TestCredentials
  readonly clock: Pick<Clock, 'moment'>
}

export interface TestPayment {
  readonly cardId: string | null
  readonly maskedPan: string | null
  /** Null when the card was not verified. */
  readonly token: string | null
  readonly receiptId: string | null
  readonly isPaid: boolean
  readonly steps: readonly TestStep[]
}

export interface TestStep {
  readonly method: Result<'dashboard.start.makePayment'>['steps'][number]['method']
  readonly ms: number
  readonly error: RpcError | null
}

/**
 * Verifies a test card with the three calls that a page makes, and pays with its token by the two calls of a server. Stops at the first error. Throws
 * `memberInvalid` for any other card.
 */
export async function makeTestPayment(
  { cards, verification, receipts, merchants }: TestPaymentDependencies,
  { testing: { cards: testCards, expire, code }, clock }: TestPaymentSetup,
  { lastFour, ctx: dashboardCtx }: { readonly lastFour: string; readonly ctx: RequestContext },
): Promise<TestPayment> {
  const testCard = testCards.find(({ number }) => number.endsWith(lastFour))
  if (testCard === undefined) throw new RpcError('memberInvalid', { data: 'lastFour' })
  const ctx = { ...dashboardCtx, idempotency: null }
  const steps: TestStep[] = []
  const none = { cardId: null, maskedPan: null, token: null, receiptId: null, isPaid: false, steps }
  const created = await step('cards.create', () => createCard(cards, cardInput(testCard.number, expire), ctx))
  if (created === null) return none
  const { token } = created
  const { cardId, maskedPan } = created.card
  const sent = await step('cards.get_verify_code', () => verification.requestCode(token, ctx, { language: ctx.language, shopOrigin: null }))
  const card = sent === null ? null : await step('cards.verify', () => verification.verifyCode(token, code, ctx))
  if (card === null) return { ...none, cardId, maskedPan }
  const receipt = await step('receipts.create', createReceipt)
  const verified = { ...none, cardId, maskedPan, token, receiptId: receipt?.receipt.receiptId ?? null }
  if (receipt === null) return verified
  const { receiptId } = receipt.receipt
  const paid = await step('receipts.pay', () => receipts.pay({ receiptId, token, payer: null, hold: null }, ctx))
  return { ...verified, isPaid: paid !== null }

  async function createReceipt() {
    const { amountTiyin, account } = exampleReceipt((await merchants.find(ctx.merchantId))?.settings ?? noSettings)
    return receipts.create({ amountTiyin, account, description: '', detail: null, hold: false, language: ctx.language }, ctx)
  }

  async function step<T>(method: TestStep['method'], run: () => Promise<T>): Promise<T | null> {
    const startedMs = clock.moment().monotonicMs
    try {
      const done = await run()
      steps.push({ method, ms: Math.round(clock.moment().monotonicMs - startedMs), error: null })
      return done
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      steps.push({ method, ms: Math.round(clock.moment().monotonicMs - startedMs), error })
      return null
    }
  }
}

/** A test card does not count against limits; the dashboard's own limits apply. */
function cardInput(number: string, expire: string) {
  return {
    number: Buffer.from(number, 'latin1'),
    expire,
    save: true,
    customer: null,
    account: null,
    consent: null,
    checkLimits: async () => undefined,
    useFormSession: async () => null,
  }
}
