// time limit: 120 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { startStage, type Mounted, type Opened, type Stage } from './form.fixture.ts'

describe('the card form in a real browser', () => {
  let stage: Stage
  before(async () => {
    stage = await startStage()
  })
  after(() => stage.stop())

  async function enter({ form }: Opened, pan: string): Promise<void> {
    await form.locator('#number').fill(pan)
    await form.locator('#expiry').pressSequentially('0399')
    await form.locator('form.card button').click()
  }

  for (const pan of ['8600069195406311', '8600495473316478']) {
    it(`proves ${pan.slice(0, 8)}… and hands the page a token and a mask`, async () => {
      const opened = await stage.open()
      await enter(opened, pan)
      await opened.form.locator('#code').fill('666666')
      await opened.form.locator('form.code button.main').click()
      await opened.form.locator('.done h2').waitFor()
      const told = (await opened.heard('token')) as { token: string; card: { number: string; verify: boolean; recurrent: boolean } }
      assert.match(told.token, /^[0-9a-f]{24}_/)
      assert.deepEqual([told.card.number, told.card.verify, told.card.recurrent], [`8600***${pan.slice(-4)}`, true, false])
      assert.deepEqual(await opened.said('step'), ['code', 'done'])
      await opened.page.close()
    })
  }

  it('says what a bank said of a card, in words, and lets another be tried', async () => {
    const opened = await stage.open()
    const cases: [pan: string, reason: string, says: RegExp][] = [
      ['8600060921090842', 'sms_not_connected', /not connected/],
      ['3333336415804657', 'card_expired', /expired/],
      ['4444445987459073', 'card_blocked', /blocked/],
      ['8600143417770323', 'system_error', /Nothing was charged/],
      ['8600000000000000', 'card_number_check_digit', /not right/],
    ]
    for (const [index, [pan, reason, says]] of cases.entries()) {
      await opened.form.locator('#expiry').fill('')
      await enter(opened, pan)
      await opened.form.locator('.fault', { hasText: says }).waitFor()
      const told = (await opened.heardMany('error', index + 1)) as { reason: string; message: string }[]
      assert.deepEqual([told.length, told.at(-1)?.reason], [index + 1, reason])
    }
    await opened.page.close()
  })

  it('changes its language while it stands, and unticks what was agreed to in another', async () => {
    const opened = await stage.open()
    await opened.form.locator('.consent input').check()
    assert.equal(await opened.page.locator('iframe').getAttribute('title'), 'Card details')
    await opened.page.evaluate(() => {
      const { form } = globalThis as unknown as Mounted
      form.update({ locale: 'ru' })
    })
    assert.equal(await opened.page.locator('iframe').getAttribute('title'), 'Данные карты')
    await opened.form.locator('label', { hasText: 'Номер карты' }).waitFor()
    assert.equal(await opened.form.locator('.consent input').isChecked(), false)
    assert.equal(await (await opened.frame()).evaluate(() => document.documentElement.lang), 'ru')
    await opened.form.locator('.consent input').check()
    await enter(opened, '8600069195406311')
    await opened.form.locator('#code').fill('666666')
    await opened.form.locator('form.code button.main').click()
    await opened.form.locator('.done h2', { hasText: 'Карта подтверждена' }).waitFor()
    await opened.page.close()
  })

  it('tells a wrong code, empties it, and takes the right one', async () => {
    const opened = await stage.open()
    await enter(opened, '8600069195406311')
    await opened.form.locator('#code').fill('111111')
    await opened.form.locator('form.code button.main').click()
    await opened.form.locator('#code-fault', { hasText: 'not right' }).waitFor()
    assert.equal(await opened.form.locator('#code').inputValue(), '')
    await opened.form.locator('#code').fill('666666')
    await opened.form.locator('#code').press('Enter')
    await opened.form.locator('.done h2').waitFor()
    await opened.page.close()
  })

  it('tells a page with a button of its own when there is something to send, and when no more', async () => {
    const opened = await stage.open({ options: { button: false } })
    const { page, form } = opened
    const told = (asked: Change): Promise<unknown> =>
      page.waitForFunction((text) => {
        const { complete, empty, errors } = ((globalThis as unknown as Mounted).said['change']?.at(-1) ?? {}) as Change
        return JSON.stringify({ complete, empty, errors }) === text
      }, JSON.stringify(asked))
    const deed = (name: 'submit' | 'verify'): Promise<void> => page.evaluate((at) => (globalThis as unknown as Mounted).form[at](), name)
    await form.locator('#number').fill('8600069195406311')
    await form.locator('#expiry').pressSequentially('0399')
    await told({ complete: true, empty: false, errors: {} })
    await deed('submit')
    await told({ complete: false, empty: true, errors: {} })
    assert.deepEqual(await opened.said('step'), ['code'])
    await form.locator('#code').fill('111111')
    await told({ complete: true, empty: false, errors: {} })
    await deed('verify')
    await told({ complete: false, empty: true, errors: { code: 'wrong_code' } })
    await form.locator('#code').fill('666666')
    await told({ complete: true, empty: false, errors: {} })
    await deed('verify')
    await told({ complete: false, empty: true, errors: {} })
    assert.equal((await opened.heardMany('token', 1)).length, 1)
    await page.close()
  })

  it('emptied while it waits, it forgets what was under way, and takes the next card at once', async () => {
    const opened = await stage.open()
    const { page, form } = opened
    let hold: (() => void) | null = null
    await page.route('**/api/cards.create', (route) => (hold === null ? route.continue() : hold()))
    for (const deed of ['clear', 'back'] as const) {
      const held = Promise.withResolvers<undefined>()
      hold = () => held.resolve(undefined)
      await enter(opened, '8600069195406311')
      await held.promise
      hold = null
      await page.evaluate((name) => {
        const { form } = globalThis as unknown as Mounted
        form[name]()
        form.submit()
      }, deed)
      await form.locator('#number-fault', { hasText: 'Enter the card number' }).waitFor()
      assert.equal(await form.locator('.progress').isVisible(), false)
      assert.equal(await form.locator('.root').getAttribute('aria-busy'), null)
      await enter(opened, '8600069195406311')
      await form.locator('#code').waitFor()
      assert.equal(await form.locator('.whole').textContent(), '')
      await page.evaluate(() => (globalThis as unknown as Mounted).form.clear())
    }
    const reasons = ((await opened.said('error')) as { reason: string }[]).map(({ reason }) => reason)
    assert.deepEqual(reasons, ['number_missing', 'number_missing'])
    await page.close()
  })

  it('makes one call of two presses', async () => {
    const opened = await stage.open()
    await opened.form.locator('#number').fill('8600069195406311')
    await opened.form.locator('#expiry').fill('03/2099')
    const before = opened.calls('cards.create')
    await opened.form.locator('form.card button').dblclick()
    await opened.form.locator('#code').waitFor()
    assert.equal(opened.calls('cards.create'), before + 1)
    await opened.page.close()
  })

  it('no digit that was typed is in the page, an attribute, an address, a message, storage or the console', async () => {
    const opened = await stage.open()
    const lines: string[] = []
    opened.page.on('console', (line) => lines.push(line.text()))
    await opened.form.locator('#number').pressSequentially('8600 4954 7331 6478')
    assert.equal(await opened.form.locator('#number').inputValue(), '8600 4954 7331 6478')
    const frame = opened.page.frames()[1]
    const marks = await frame?.evaluate(() => document.documentElement.outerHTML.replace(/<(script|style)[^]*?<\/\1>/g, '') + location.href)
    const told = JSON.stringify(await opened.page.evaluate(() => (globalThis as unknown as { said: object }).said))
    const changes = (await opened.said('change')).length
    assert.ok(changes <= 2, `${String(changes)} messages tell the page of single keys`)
    const stored = JSON.stringify([await opened.page.context().storageState(), await opened.page.content(), opened.page.url(), lines])
    for (const text of [marks ?? assert.fail('no frame'), told, stored]) {
      assert.doesNotMatch(text, /8600|4954|7331|6478/)
    }
    await opened.page.close()
  })

  it('is blocked at once, with the directive to add, by a policy that names no frame of ours', async () => {
    const opened = await stage.open({ headers: { 'content-security-policy': "frame-src 'self'" } })
    const error = (await opened.heard('error')) as { reason: string; message: string }
    assert.equal(error.reason, 'blocked_by_csp')
    assert.ok(error.message.endsWith(`frame-src ${stage.formOrigin}`), error.message)
    await opened.page.close()
  })
})

interface Change {
  readonly complete: boolean
  readonly empty: boolean
  readonly errors: Readonly<Record<string, string>>
}
