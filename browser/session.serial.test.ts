// time limit: 90 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { enterCard, enterCode, mountForm, startFormShop, startTestBed, observeForm, type FormShop, type TestBed } from './form.fixture.ts'

const success = '8600069195406311'

describe('a form session in real browsers', () => {
  let testBed: TestBed
  let attacker: FormShop
  before(async () => {
    testBed = await startTestBed()
    attacker = await startFormShop(testBed.formOrigin)
  })
  after(async () => {
    attacker.server.close().closeAllConnections()
    await testBed.stop()
  })

  async function issue(origin: string): Promise<string> {
    const { merchantId, password } = testBed.tessera
    const response = await fetch(`${testBed.formOrigin}/api/form.sessions.create`, {
      method: 'POST',
      headers: { 'x-auth': `${merchantId}:${password}` },
      body: JSON.stringify({ id: 1, method: 'form.sessions.create', params: { origin, save: 'ask', attempts: 5 } }),
    })
    return ((await response.json()) as { result: { session: string } }).result.session
  }

  it('accepts a card in a page of the origin it was created for', async () => {
    const opened = await testBed.open({ options: { session: await issue(testBed.shopOrigin) } })
    await enterCard(opened, success)
    await enterCode(opened)
    await opened.waitForEvent('token')
    await opened.page.close()
  })

  it('accepts no card in a page of another origin: neither from the form there nor from a call of that page', async () => {
    const session = await issue(testBed.shopOrigin)
    const page = await testBed.browser.newPage()
    const opened = observeForm(page)
    await page.goto(attacker.servePage({}))
    await page.evaluate(mountForm, { merchant: testBed.merchant, locale: 'en', session })
    await enterCard(opened, success)
    const error = (await opened.waitForEvent('error')) as { code: number; reason: string; retryable: boolean; docs: string }
    assert.deepEqual([error.code, error.reason, error.retryable], [-32504, 'session_origin', false])
    assert.equal(error.docs, `${testBed.formOrigin}/form/reasons#session_origin`)
    assert.deepEqual(await opened.eventValues('token'), [])
    assert.equal(opened.callCount('cards.get_verify_code'), 0, 'a card was created')
    const reason = await page.evaluate(
      async ({ form, merchant, params }) => {
        // A page cannot set the Origin header: the browser writes it.
        const headers = { 'x-auth': merchant, 'content-type': 'application/json', origin: params.origin }
        const body = JSON.stringify({ id: 1, method: 'cards.create', params: { card: params.card, session: params.session } })
        const response = await fetch(`${form}/api/cards.create`, { method: 'POST', headers, body })
        return ((await response.json()) as { error?: { reason: string } }).error?.reason
      },
      {
        form: testBed.formOrigin,
        merchant: testBed.merchant,
        params: { session, origin: testBed.shopOrigin, card: { number: success, expire: '0399' } },
      },
    )
    assert.equal(reason, 'session_origin')
    await page.close()
  })
})
