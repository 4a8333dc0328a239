import { RpcError } from '@tessera/contract/errors'

import type { Asker } from '../cards/asker.ts'
import type { Cards } from '../cards/cards.ts'
import type { Language } from '@tessera/contract/profile'
import type { Clock } from '../clock.ts'
import type { Verification } from '../verification/verification.ts'

import type { Testing } from './start.ts'

export interface TestTokenParts {
  readonly cards: Pick<Cards, 'create'>
  readonly verification: Pick<Verification, 'ask' | 'answer'>
}

/** What there is to rehearse with. */
export interface TestTokenPlace {
  readonly testing: Testing
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

/** Makes a token of a test card by the three calls that a page would make, one after the other until one is refused. The token is forgotten here. Throws `memberInvalid` for any other card. */
export async function makeTestToken(
  { cards, verification }: TestTokenParts,
  { testing: { cards: testCards, expire, code }, clock }: TestTokenPlace,
  { lastFour, asker: by, language }: { readonly lastFour: string; readonly asker: Omit<Asker, 'rider'>; readonly language: Language },
): Promise<TestToken> {
  const testCard = testCards.find(({ number }) => number.endsWith(lastFour))
  if (testCard === undefined) throw new RpcError('memberInvalid', { data: 'lastFour' })
  const asker = { ...by, rider: null }
  const steps: TestStep[] = []
  const number = Buffer.from(testCard.number, 'latin1')
  const asked = { number, expire, save: false, customer: null, account: null, consent: null, count: nothing, admit: nobody }
  const created = await step('cards.create', () => cards.create(asked, asker))
  if (created === null) return { cardId: null, maskedPan: null, verified: false, steps }
  const { cardId, maskedPan } = created.card
  const { token } = created
  const sent = await step('cards.get_verify_code', () => verification.ask(token, asker, language))
  const card = sent === null ? null : await step('cards.verify', () => verification.answer(token, code, asker))
  return { cardId, maskedPan, verified: card !== null, steps }

  async function step<T>(method: TestStep['method'], run: () => Promise<T>): Promise<T | null> {
    const began = clock.moment().monotonicMs
    try {
      const done = await run()
      steps.push({ method, ms: Math.round(clock.moment().monotonicMs - began), error: null })
      return done
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      steps.push({ method, ms: Math.round(clock.moment().monotonicMs - began), error })
      return null
    }
  }
}

async function nothing(): Promise<void> {
  // A test card counts in no limit: the dashboard's own limits hold who presses the button.
}

async function nobody(): Promise<null> {
  return null
}
