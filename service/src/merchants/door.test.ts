import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { idempotencyFigures } from '../idempotency/figures.ts'
import { makeIdempotency } from '../idempotency/idempotency.ts'
import { compose } from '../methods/compose.fixture.ts'
import { randomHex } from '../methods/drawn.fixture.ts'
import { makeAnswer } from '../rpc/answer.ts'
import { noLimits } from '../rpc/limits.ts'
import { noThrottle } from '../rpc/password-throttle.ts'

// What is agreed with a merchant, seen from outside, behind a door that takes no origin for granted: as in production.

const house = await compose()
after(() => house.close())
const { grid, store, keyring, clock, environment, merchants } = house
const answer = makeAnswer({
  ...{ grid, credentials: merchants, origins: { isAnyWelcome: false, formOrigin: null }, limits: noLimits, passwords: noThrottle },
  idempotency: makeIdempotency({ store, keyring, clock, environment, figures: idempotencyFigures }),
  ...{ routes: [], journal: { called: () => undefined, failed: () => undefined } },
  ...{ translate: () => null, issueRequestId: () => randomHex(24), now: () => 0, sleep: clock.sleep },
  ...{ stopping: new AbortController().signal, signal: new AbortController().signal },
})

async function errorOf(xAuth: string, origin: string | null): Promise<string> {
  const body = Buffer.from(
    JSON.stringify({ id: 1, method: 'cards.verify', params: { token: `${'0'.repeat(24)}_${'a'.repeat(43)}`, code: '1' } }),
  )
  const { text } = await answer({
    ...{ refusal: null, segment: 'cards.verify', hasQuery: false, xAuth, origin, isFromBrowser: origin !== null },
    ...{ idempotencyKey: null, acceptLanguage: undefined, address: '127.0.0.1', body },
  })
  const { error } = JSON.parse(text) as { error: { code: number; reason: string } }
  return `${String(error.code)} ${error.reason}`
}

async function make(): Promise<string> {
  const made = await merchants.deeds.create({ name: 'Shop', settings: { origins: ['https://shop.example'] } })
  return typeof made === 'string' ? assert.fail(made) : made.merchant.row.id
}

test('a page calls from the origins of its merchant alone, and an origin that is taken away is refused at once', async () => {
  const id = await make()
  assert.match(await errorOf(id, 'https://shop.example'), /^-31400 /)
  assert.equal(await errorOf(id, 'https://other.example'), '-32504 origin_not_allowed')
  await merchants.deeds.change(id, { settings: { origins: ['https://other.example'] } })
  assert.equal(await errorOf(id, 'https://shop.example'), '-32504 origin_not_allowed')
  assert.match(await errorOf(id, 'https://other.example'), /^-31400 /)
})

test('a merchant whose row somebody else wrote is answered as a fault of ours, and nothing of it is told', async () => {
  const id = await make()
  const row = (await store.findMerchant(id)) ?? assert.fail('it is kept')
  const note = { at: 0, actor: 'thief', action: 'x', merchantId: id, subject: id, version: 0, mac: row.mac, requestId: '', outcome: '' }
  await store.changeMerchant({ ...row, version: 2, settings: '{"origins":["https://evil.example"]}' }, note)
  merchants.forget(id)
  assert.match(await errorOf(id, 'https://evil.example'), /^-32400 /)
})
