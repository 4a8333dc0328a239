import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { SettingProblem } from '@tessera/contract/setting-problems'

import { createTestApp } from '../../testing/test-app.fixture.ts'
import { findMerchant, updateMerchant } from '../../store/merchants.ts'
import { operatorActor } from '../../testing/request-context.fixture.ts'

// A merchant's settings as the API applies them, with the rules of production for origins.

const app = await createTestApp({ after }, { adapters: { isAnyOriginAllowed: false } })
const { store, merchants } = app
const answer = app.app.handle

async function errorOf(xAuth: string, origin: string | null): Promise<string> {
  const body = Buffer.from(
    JSON.stringify({ id: 1, method: 'cards.verify', params: { token: `${'0'.repeat(24)}_${'a'.repeat(43)}`, code: '1' } }),
  )
  const { text } = await answer({
    refusal: null,
    segment: 'cards.verify',
    hasQuery: false,
    xAuth,
    origin,
    isFromBrowser: origin !== null,
    idempotencyKey: null,
    acceptLanguage: undefined,
    address: '127.0.0.1',
    body,
  })
  const { error } = JSON.parse(text) as { error: { code: number; reason: string } }
  return `${String(error.code)} ${error.reason}`
}

async function make(): Promise<string> {
  const made = await merchants.administration.create({ name: 'Shop', settings: { origins: ['https://shop.example'] } }, operatorActor)
  return made instanceof SettingProblem ? assert.fail(made.code) : made.merchant.row.id
}

test('a page may call only from the origins of its merchant, and a removed origin is refused at once', async () => {
  const id = await make()
  assert.match(await errorOf(id, 'https://shop.example'), /^-31400 /)
  assert.equal(await errorOf(id, 'https://other.example'), '-32504 origin_not_allowed')
  await merchants.administration.change(id, { settings: { origins: ['https://other.example'] } }, operatorActor)
  assert.equal(await errorOf(id, 'https://shop.example'), '-32504 origin_not_allowed')
  assert.match(await errorOf(id, 'https://other.example'), /^-31400 /)
})

test('a request of a merchant with a tampered row gets an internal error without details', async () => {
  const id = await make()
  const row = (await store.read(findMerchant(id))) ?? assert.fail('the row is missing')
  const audit = { at: 0, actor: 'thief', action: 'x', merchantId: id, subject: id, version: 0, mac: row.mac, requestId: '', outcome: '' }
  await store.write(updateMerchant, { merchant: { ...row, version: 2, settings: '{"origins":["https://evil.example"]}' }, audit })
  merchants.forget(id)
  assert.match(await errorOf(id, 'https://evil.example'), /^-32400 /)
})
