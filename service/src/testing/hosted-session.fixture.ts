import assert from 'node:assert/strict'

import type { TestMerchant } from './test-merchant.fixture.ts'
import { hostedOrigin } from './default-config.fixture.ts'
import type { TestApp } from './test-app.fixture.ts'
import { successPan } from './receipts.fixture.ts'

export const origin = 'https://shop.example'
export const returnTo = 'https://shop.example/cards?order=1'

/** A merchant's server asks for a session of the hosted page. */
export function openSession(merchant: TestMerchant, other: object = {}) {
  return merchant.call('form.sessions.create', { origin, save: 'ask', return: returnTo, ...other })
}

/** A card as the hosted page sends it: from a document that was made for the form's own origin. Its token. */
export async function sendCard(app: TestApp, merchant: TestMerchant, session: string, save = true): Promise<string> {
  const form = await app.served.issue(merchant.merchantId, hostedOrigin)
  const made = await merchant.asPage('cards.create', { card: { number: '', expire: '0399' }, save, form, session }, successPan)
  return 'card' in made ? made.card.token : assert.fail(JSON.stringify(made))
}

export async function verifyCard(merchant: TestMerchant, token: string): Promise<void> {
  await merchant.call('cards.get_verify_code', { token })
  await merchant.call('cards.verify', { token, code: '666666' })
}
