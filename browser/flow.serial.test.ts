// time limit: 120 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { awaitWithin } from '../tools/await-within.ts'
import { pressInFrame, tickInFrame } from '../tools/press-in-frame.ts'
import { startTestBed, type TestPage, type OpenForm, type TestBed } from './form.fixture.ts'

describe('the card form in a real browser', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  async function enter({ form }: OpenForm, pan: string): Promise<void> {
    await form.locator('#number').fill(pan)
    await form.locator('#expiry').pressSequentially('0399')
    await pressInFrame(form.locator('form.card button'))
  }

  for (const pan of ['8600069195406311', '8600495473316478']) {
    it(`verifies ${pan.slice(0, 8)}… and gives the page a token and a masked number`, async () => {
      const opened = await testBed.open()
      await enter(opened, pan)
      await opened.form.locator('#code').fill('666666')
      await opened.form.locator('.done h2').waitFor()
      const event = (await opened.waitForEvent('token')) as { token: string; card: { number: string; verify: boolean; recurrent: boolean } }
      assert.match(event.token, /^[0-9a-f]{24}_/)
      assert.deepEqual([event.card.number, event.card.verify, event.card.recurrent], [`8600***${pan.slice(-4)}`, true, false])
      assert.deepEqual(await opened.eventValues('step'), ['code', 'done'])
      await opened.page.close()
    })
  }

  it('shows the bank’s error as text, and accepts another card', async () => {
    const opened = await testBed.open()
    const cases: [pan: string, reason: string, message: RegExp][] = [
      ['8600060921090842', 'sms_not_connected', /not enabled/],
      ['3333336415804657', 'card_expired', /expired/],
      ['4444445987459073', 'card_blocked', /blocked/],
      ['8600143417770323', 'system_error', /Nothing was charged/],
      ['8600000000000000', 'card_number_check_digit', /not valid/],
    ]
    for (const [index, [pan, reason, message]] of cases.entries()) {
      await opened.form.locator('#expiry').fill('')
      await enter(opened, pan)
      await opened.form.locator('.fault', { hasText: message }).waitFor()
      const errors = (await opened.waitForEvents('error', index + 1)) as { reason: string; message: string }[]
      assert.deepEqual([errors.length, errors.at(-1)?.reason], [index + 1, reason])
    }
    await opened.page.close()
  })

  it('changes its language while mounted, and unticks the consent given in another language', async () => {
    const opened = await testBed.open()
    await tickInFrame(opened.form.locator('.consent input'))
    assert.equal(await opened.page.locator('iframe').getAttribute('title'), 'Card details')
    await opened.page.evaluate(() => {
      const { form } = globalThis as unknown as TestPage
      form.update({ locale: 'ru' })
    })
    assert.equal(await opened.page.locator('iframe').getAttribute('title'), 'Данные карты')
    await opened.form.locator('label', { hasText: 'Номер карты' }).waitFor()
    assert.equal(await opened.form.locator('.consent input').isChecked(), false)
    assert.equal(await (await opened.frame()).evaluate(() => document.documentElement.lang), 'ru')
    await tickInFrame(opened.form.locator('.consent input'))
    await enter(opened, '8600069195406311')
    await opened.form.locator('#code').fill('666666')
    await opened.form.locator('.done h2', { hasText: 'Карта подтверждена' }).waitFor()
    await opened.page.close()
  })

  it('shows a wrong code, clears it, and accepts the right one', async () => {
    const opened = await testBed.open()
    await enter(opened, '8600069195406311')
    await opened.form.locator('#code').fill('111111')
    await opened.form.locator('#code-fault', { hasText: 'incorrect' }).waitFor()
    assert.equal(await opened.form.locator('#code').inputValue(), '')
    await opened.form.locator('#code').pressSequentially('666666')
    await opened.form.locator('.done h2').waitFor()
    await opened.page.close()
  })

  it('reports to a page with its own button when there is something to submit', async () => {
    const opened = await testBed.open({ options: { button: false, autoConfirm: false } })
    const { page, form } = opened
    const waitForChange = (expected: Change): Promise<unknown> =>
      page.waitForFunction((text) => {
        const { complete, empty, errors } = ((globalThis as unknown as TestPage).formEvents['change']?.at(-1) ?? {}) as Change
        return JSON.stringify({ complete, empty, errors }) === text
      }, JSON.stringify(expected))
    const perform = (name: 'submit' | 'verify'): Promise<unknown> =>
      page.evaluate((action) => (globalThis as unknown as TestPage).form[action](), name)
    await form.locator('#number').fill('8600069195406311')
    await form.locator('#expiry').pressSequentially('0399')
    await waitForChange({ complete: true, empty: false, errors: {} })
    await perform('submit')
    await waitForChange({ complete: false, empty: true, errors: {} })
    assert.deepEqual(await opened.eventValues('step'), ['code'])
    await form.locator('#code').fill('111111')
    await waitForChange({ complete: true, empty: false, errors: {} })
    await perform('verify')
    await waitForChange({ complete: false, empty: true, errors: { code: 'wrong_code' } })
    await form.locator('#code').fill('666666')
    await waitForChange({ complete: true, empty: false, errors: {} })
    await perform('verify')
    await waitForChange({ complete: false, empty: true, errors: {} })
    assert.equal((await opened.waitForEvents('token', 1)).length, 1)
    await page.close()
  })

  it('clear() and back() during a call abandon it, and the next card is accepted at once', async () => {
    let holdRequest: (() => void) | null = null
    // Before the page has its frame: requests of a frame that is just being loaded are not always intercepted.
    const opened = await testBed.open({
      prepare: (page) => page.route('**/api/cards.create', (route) => (holdRequest === null ? route.continue() : holdRequest())),
    })
    const { page, form } = opened
    for (const action of ['clear', 'back'] as const) {
      const held = Promise.withResolvers<undefined>()
      holdRequest = () => held.resolve(undefined)
      await enter(opened, '8600069195406311')
      await awaitWithin(held.promise, `the call that ${action}() abandons`)
      holdRequest = null
      await page.evaluate((name) => {
        const { form } = globalThis as unknown as TestPage
        form[name]()
        void form.submit()
      }, action)
      await form.locator('#number-fault', { hasText: 'Enter the card number' }).waitFor()
      assert.equal(await form.locator('.progress').isVisible(), false)
      assert.equal(await form.locator('.root').getAttribute('aria-busy'), null)
      await enter(opened, '8600069195406311')
      await form.locator('#code').waitFor()
      assert.equal(await form.locator('.whole').textContent(), '')
      await page.evaluate(() => (globalThis as unknown as TestPage).form.clear())
    }
    const reasons = ((await opened.eventValues('error')) as { reason: string }[]).map(({ reason }) => reason)
    assert.deepEqual(reasons, ['number_missing', 'number_missing'])
    await page.close()
  })

  it('makes one call when the button is pressed twice', async () => {
    const opened = await testBed.open()
    await opened.form.locator('#number').fill('8600069195406311')
    await opened.form.locator('#expiry').fill('03/2099')
    const before = opened.callCount('cards.create')
    await pressInFrame(opened.form.locator('form.card button'), { clickCount: 2 })
    await opened.form.locator('#code').waitFor()
    assert.equal(opened.callCount('cards.create'), before + 1)
    await opened.page.close()
  })

  it('writes no typed digit to the page, an attribute, an address, a message, storage or the console', async () => {
    const opened = await testBed.open()
    const lines: string[] = []
    opened.page.on('console', (line) => lines.push(line.text()))
    await opened.form.locator('#number').pressSequentially('8600 4954 7331 6478')
    assert.equal(await opened.form.locator('#number').inputValue(), '8600 4954 7331 6478')
    const frame = opened.page.frames()[1]
    const markup = await frame?.evaluate(
      () => document.documentElement.outerHTML.replace(/<(script|style)[^]*?<\/\1>/g, '') + location.href,
    )
    const events = JSON.stringify(await opened.page.evaluate(() => (globalThis as unknown as { formEvents: object }).formEvents))
    const changes = (await opened.eventValues('change')).length
    // Not empty any more, the brand, complete.
    assert.ok(changes <= 3, `${String(changes)} messages reveal single keys to the page`)
    const stored = JSON.stringify([await opened.page.context().storageState(), await opened.page.content(), opened.page.url(), lines])
    for (const text of [markup ?? assert.fail('no frame'), events, stored]) {
      assert.doesNotMatch(text, /8600|4954|7331|6478/)
    }
    await opened.page.close()
  })

  it('reports at once that a policy blocks its frame, with the directive to add', async () => {
    const opened = await testBed.open({ headers: { 'content-security-policy': "frame-src 'self'" } })
    const error = (await opened.waitForEvent('error')) as { reason: string; message: string }
    assert.equal(error.reason, 'blocked_by_csp')
    assert.ok(error.message.endsWith(`frame-src ${testBed.formOrigin}`), error.message)
    await opened.page.close()
  })
})

interface Change {
  readonly complete: boolean
  readonly empty: boolean
  readonly errors: Readonly<Record<string, string>>
}
