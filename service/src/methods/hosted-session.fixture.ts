import assert from 'node:assert/strict'

import type { Caller } from './caller.fixture.ts'
import { hostedOrigin, type House } from './compose.fixture.ts'
import { successPan } from './receipts.fixture.ts'

export const origin = 'https://shop.example'
export const returnTo = 'https://shop.example/cards?order=1'

/** A merchant's server asks for a session of the hosted page. */
export function openSession(merchant: Caller, other: object = {}) {
  return merchant.expect('form.sessions.create', { origin, save: 'ask', return: returnTo, ...other })
}

/** A card as the hosted page sends it: from a document that was made for the form's own origin. Its token. */
export async function sendCard(house: House, merchant: Caller, session: string, save = true): Promise<string> {
  const form = await house.served.issue(merchant.merchantId, hostedOrigin)
  const made = await merchant.asPage('cards.create', { card: { number: '', expire: '0399' }, save, form, session }, successPan)
  return 'card' in made ? made.card.token : assert.fail(JSON.stringify(made))
}

export async function verifyCard(merchant: Caller, token: string): Promise<void> {
  await merchant.expect('cards.get_verify_code', { token })
  await merchant.expect('cards.verify', { token, code: '666666' })
}
