// time limit: 90 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { enterCard, enterCode, mountForm, openShop, startStage, watch, type Shop, type Stage } from './form.fixture.ts'

const success = '8600069195406311'

describe('a form session in real browsers', () => {
  let stage: Stage
  let thief: Shop
  before(async () => {
    stage = await startStage()
    thief = await openShop(stage.formOrigin)
  })
  after(async () => {
    thief.server.close().closeAllConnections()
    await stage.stop()
  })

  async function issue(origin: string): Promise<string> {
    const { merchantId, password } = stage.tessera
    const reply = await fetch(`${stage.formOrigin}/api/form.sessions.create`, {
      method: 'POST',
      headers: { 'x-auth': `${merchantId}:${password}` },
      body: JSON.stringify({ id: 1, method: 'form.sessions.create', params: { origin, save: 'ask', attempts: 5 } }),
    })
    return ((await reply.json()) as { result: { session: string } }).result.session
  }

  it('takes a card in a page of the origin that it was made for', async () => {
    const opened = await stage.open({ options: { session: await issue(stage.shopOrigin) } })
    await enterCard(opened, success)
    await enterCode(opened)
    await opened.heard('token')
    await opened.page.close()
  })

  it('takes none in a page of another origin that came by it: not by the form there, nor by a call of that page', async () => {
    const session = await issue(stage.shopOrigin)
    const page = await stage.browser.newPage()
    const opened = watch(page)
    await page.goto(thief.place({}))
    await page.evaluate(mountForm, { merchant: stage.merchant, locale: 'en', session })
    await enterCard(opened, success)
    const told = (await opened.heard('error')) as { code: number; reason: string; retryable: boolean; docs: string }
    assert.deepEqual([told.code, told.reason, told.retryable], [-32504, 'session_origin', false])
    assert.equal(told.docs, `${stage.formOrigin}/form/reasons#session_origin`)
    assert.deepEqual(await opened.said('token'), [])
    assert.equal(opened.calls('cards.get_verify_code'), 0, 'a card was made')
    const reason = await page.evaluate(
      async ({ form, merchant, params }) => {
        // A page may leave the Origin header to nobody else: the browser writes it.
        const headers = { 'x-auth': merchant, 'content-type': 'application/json', origin: params.origin }
        const body = JSON.stringify({ id: 1, method: 'cards.create', params: { card: params.card, session: params.session } })
        const reply = await fetch(`${form}/api/cards.create`, { method: 'POST', headers, body })
        return ((await reply.json()) as { error?: { reason: string } }).error?.reason
      },
      {
        form: stage.formOrigin,
        merchant: stage.merchant,
        params: { session, origin: stage.shopOrigin, card: { number: success, expire: '0399' } },
      },
    )
    assert.equal(reason, 'session_origin')
    await page.close()
  })
})
