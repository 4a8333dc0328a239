import assert from 'node:assert/strict'

import type { TestMerchant } from './test-merchant.fixture.ts'
import { hostedOrigin } from './default-config.fixture.ts'
import type { TestApp } from './test-app.fixture.ts'
import { successPan } from './receipts.fixture.ts'

export const origin = 'https://shop.example'
export const returnTo = 'https://shop.example/cards?order=1'

/** Creates a session of the hosted page, as a merchant's server does. */
export function openSession(merchant: TestMerchant, other: object = {}) {
  return merchant.call('form.sessions.create', { origin, save: 'ask', return: returnTo, ...other })
}

/** Creates a card as the hosted page does, from a document issued for the form's own origin. Returns its token. */
export async function sendCard(app: TestApp, merchant: TestMerchant, session: string, save = true): Promise<string> {
  const form = await app.formDocuments.issue(merchant.merchantId, hostedOrigin)
  const made = await merchant.asPage('cards.create', { card: { number: '', expire: '0399' }, save, form, session }, successPan)
  return 'card' in made ? made.card.token : assert.fail(JSON.stringify(made))
}

/** Saves a card and creates a session that offers it. Returns the params of its pick. */
export async function openChoice(merchant: TestMerchant): Promise<{ session: string; id: string; action: 'pick' }> {
  const id = (await merchant.createVerifiedToken(successPan)).slice(0, 24)
  const { session } = await merchant.call('form.sessions.create', { origin, save: 'ask', cards: [id] })
  return { session, id, action: 'pick' }
}

export async function verifyCard(merchant: TestMerchant, token: string): Promise<void> {
  await merchant.call('cards.get_verify_code', { token })
  await merchant.call('cards.verify', { token, code: '666666' })
}
