import { RpcError } from '@tessera/contract/errors'

import type { RequestContext } from '../domain/request-context.ts'
import { createCard } from '../domain/cards/create.ts'
import type { CardServices } from '../domain/cards/services.ts'
import type { Clock } from '../clock.ts'
import type { Verification } from '../domain/verification/verification.ts'

import type { TestCredentials } from '../domain/reporting/getting-started.ts'

export interface TestTokenDependencies {
  readonly cards: CardServices
  readonly verification: Pick<Verification, 'requestCode' | 'verifyCode'>
}

/** The test cards and the clock. */
export interface TestTokenSetup {
  readonly testing: TestCredentials
  readonly clock: Pick<Clock, 'moment'>
}

export interface TestToken {
  readonly cardId: string | null
  readonly maskedPan: string | null
  readonly verified: boolean
  readonly steps: readonly TestStep[]
}

export interface TestStep {
  readonly method: 'cards.create' | 'cards.get_verify_code' | 'cards.verify'
  readonly ms: number
  readonly error: RpcError | null
}

/** Creates a verified token for a test card with the three calls that a page makes, and stops at the first error. The token is not returned. Throws `memberInvalid` for any other card. */
export async function makeTestToken(
  { cards, verification }: TestTokenDependencies,
  { testing: { cards: testCards, expire, code }, clock }: TestTokenSetup,
  { lastFour, ctx: dashboardCtx }: { readonly lastFour: string; readonly ctx: RequestContext },
): Promise<TestToken> {
  const testCard = testCards.find(({ number }) => number.endsWith(lastFour))
  if (testCard === undefined) throw new RpcError('memberInvalid', { data: 'lastFour' })
  const ctx = { ...dashboardCtx, idempotency: null }
  const steps: TestStep[] = []
  const number = Buffer.from(testCard.number, 'latin1')
  const input = {
    number,
    expire,
    save: false,
    customer: null,
    account: null,
    consent: null,
    checkLimits: noLimits,
    useFormSession: noFormSession,
  }
  const created = await step('cards.create', () => createCard(cards, input, ctx))
  if (created === null) return { cardId: null, maskedPan: null, verified: false, steps }
  const { cardId, maskedPan } = created.card
  const { token } = created
  const sent = await step('cards.get_verify_code', () => verification.requestCode(token, ctx, { language: ctx.language, shopOrigin: null }))
  const card = sent === null ? null : await step('cards.verify', () => verification.verifyCode(token, code, ctx))
  return { cardId, maskedPan, verified: card !== null, steps }

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

async function noLimits(): Promise<void> {
  // A test card does not count against limits; the dashboard's own limits apply.
}

async function noFormSession(): Promise<null> {
  return null
}
