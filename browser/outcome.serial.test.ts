// time limit: 240 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { CardFormResult } from './page/card-form-types.ts'
import type { Page } from 'playwright-core'

import { pressInFrame } from '../tools/press-in-frame.ts'
import { enterCard, enterCode, startTestBed, type OpenForm, type TestBed, type TestPage } from './form.fixture.ts'
import { createOfferingSession, idOfToken, saveCards } from './saved-cards.fixture.ts'

const success = '8600069195406311'

describe('what submit() and verify() return', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  const press = ({ page }: OpenForm, action: 'submit' | 'verify'): Promise<CardFormResult> =>
    page.evaluate((name) => (globalThis as unknown as TestPage).form[name]() as Promise<CardFormResult>, action)

  async function typeCard({ form }: OpenForm, pan: string): Promise<void> {
    await form.locator('#number').fill(pan)
    await form.locator('#expiry').fill('0399')
  }

  it('is each outcome in turn: missing input, a refused card, the code, a wrong code, the token', async () => {
    const opened = await testBed.open({ options: { button: false } })
    await opened.waitForEvent('ready')
    const missing = await press(opened, 'submit')
    assert.ok(missing.status === 'error' && missing.error.reason === 'number_missing')
    assert.equal(missing.error.docs, `${testBed.formOrigin}/form/reasons#number_missing`)
    await typeCard(opened, '4444445987459073')
    const blocked = await press(opened, 'submit')
    assert.ok(blocked.status === 'error' && blocked.error.field === 'number', JSON.stringify(blocked))
    await typeCard(opened, success)
    assert.deepEqual(await press(opened, 'submit'), { status: 'code' })
    await opened.form.locator('#code').fill('111111')
    const wrong = await press(opened, 'verify')
    assert.ok(wrong.status === 'error' && wrong.error.reason === 'wrong_code')
    await opened.form.locator('#code').fill('666666')
    const done = await press(opened, 'verify')
    assert.ok(done.status === 'done' && done.card.number === '8600***6311')
    assert.deepEqual(await opened.waitForEvent('token'), { token: done.token, card: done.card })
    await opened.page.close()
  })

  it('is `ignored` at another step and before the form is ready, and nothing is sent', async () => {
    const opened = await testBed.open()
    const early = await opened.page.evaluate((merchant) => {
      const { Tessera } = globalThis as unknown as TestPage
      const form = new Tessera.CardForm({ merchant })
      return Promise.all([form.submit(), form.mount('#card').submit(), form.verify()])
    }, testBed.merchant)
    assert.deepEqual(early, Array(3).fill({ status: 'ignored' }))
    await opened.waitForEvent('ready')
    assert.deepEqual(await press(opened, 'verify'), { status: 'ignored' })
    assert.equal(opened.callCount('cards.create'), 0)
    await opened.page.close()
  })

  it('is `cancelled` by clear(), back() and unmount()', async () => {
    for (const abandon of ['clear', 'back', 'unmount'] as const) {
      // This card's bank takes ten seconds.
      const opened = await testBed.open()
      await opened.waitForEvent('ready')
      await typeCard(opened, '8600134301849596')
      const result = await opened.page.evaluate(async (how) => {
        const { form } = globalThis as unknown as TestPage
        const submitted = form.submit()
        form[how]()
        return submitted
      }, abandon)
      assert.deepEqual(result, { status: 'cancelled' }, abandon)
      await opened.page.close()
    }
  })

  it('joins a call that the cardholder has started, and refused options end nothing', async () => {
    const opened = await testBed.open()
    await opened.waitForEvent('ready')
    await typeCard(opened, success)
    const results = await opened.page.evaluate(() => {
      const { form } = globalThis as unknown as TestPage
      const both = [form.submit(), form.submit()]
      form.update({ layout: 'round' })
      return Promise.all(both)
    })
    assert.deepEqual(results, [{ status: 'code' }, { status: 'code' }])
    assert.equal(opened.callCount('cards.create'), 1)
    await opened.page.close()
  })
})

describe('what submit() and verify() return when there is nothing to send', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  it('is the error of the code that has confirmed itself and was wrong, also where ARIA attributes are no properties', async () => {
    const opened = await testBed.open({ prepare: withoutAriaProperties })
    await enterCard(opened, success)
    await enterCode(opened, '111111')
    const { code } = (await opened.waitForEvent('error')) as { code: number }
    await pressInFrame(opened.form.locator('form.code button.main'))
    await opened.form.locator('#code:focus').waitFor()
    assert.equal((await opened.eventValues('error')).length, 1, 'a press of the form’s own button, whose error is shown')
    const again = (await opened.page.evaluate(() => (globalThis as unknown as TestPage).form.verify())) as CardFormResult
    assert.ok(again.status === 'error', JSON.stringify(again))
    assert.deepEqual([again.error.reason, again.error.code, again.error.field], ['wrong_code', code, 'code'])
    assert.equal(opened.callCount('cards.verify'), 1)
    await opened.page.close()
  })

  it('is `ignored` for verify() while another code is requested', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
    let requestCount = 0
    const prepare = (page: Page): Promise<unknown> =>
      page.route('**/api/cards.get_verify_code', async (route) => {
        // The clock of the button for a new code starts at zero.
        if (++requestCount > 1) await released
        await route.fulfill({ json: { result: { sent: true, phone: '99890*****66', wait: 0 } } })
      })
    const opened = await testBed.open({ prepare })
    await enterCard(opened, success)
    await opened.form.locator('#code').waitFor()
    const busyCount = (await opened.waitForEvents('busy', 2)).length
    const result = opened.page.evaluate(() => {
      const { form } = globalThis as unknown as TestPage
      form.resend()
      return form.verify()
    })
    await opened.waitForEvents('busy', busyCount + 1)
    release(undefined)
    assert.deepEqual(await result, { status: 'ignored' })
    assert.equal(opened.callCount('cards.verify'), 0)
    await opened.page.close()
  })

  it('is `ignored` for submit() while a saved card is being removed, and the next one picks the other', async () => {
    const tokens = await saveCards(testBed, [success, '8600495473316478'])
    const { session } = await createOfferingSession(testBed, tokens)
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
    const prepare = (page: Page): Promise<unknown> =>
      page.route('**/api/form.sessions.choose', (route) => released.then(() => route.continue()))
    const opened = await testBed.open({ options: { session }, prepare })
    await pressInFrame(opened.form.locator('.saved-row:first-child .remove'))
    await pressInFrame(opened.form.locator('.danger'))
    await opened.waitForEvent('busy')
    const submit = (): Promise<unknown> => opened.page.evaluate(() => (globalThis as unknown as TestPage).form.submit())
    const result = submit()
    release(undefined)
    assert.deepEqual(await result, { status: 'ignored' })
    assert.equal(await opened.waitForEvent('remove'), idOfToken(tokens[0] ?? ''))
    assert.deepEqual(await submit(), { status: 'picked', id: idOfToken(tokens[1] ?? '') })
    await opened.page.close()
  })

  it('is never `ignored` for a call that follows an error at once', async () => {
    const opened = await testBed.open()
    await opened.waitForEvent('ready')
    await opened.form.locator('#number').fill('4444445987459073')
    await opened.form.locator('#expiry').fill('0399')
    const results = (await opened.page.evaluate(async () => {
      const { form } = globalThis as unknown as TestPage
      return [await form.submit(), await form.submit()]
    })) as CardFormResult[]
    assert.deepEqual(
      results.map(({ status }) => status),
      ['error', 'error'],
    )
    assert.equal(opened.callCount('cards.create'), 2)
    await opened.page.close()
  })

  /** As in Firefox before 119. */
  function withoutAriaProperties(page: Page): Promise<unknown> {
    return page.addInitScript(() => {
      for (const name of ['ariaInvalid', 'ariaBusy']) Reflect.deleteProperty(Element.prototype, name)
    })
  }
})

describe('the events of the fields', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  it('name the field that has the focus, say when the form is busy, and tell the brand from the fourth digit on', async () => {
    const opened = await testBed.open()
    const number = opened.form.locator('#number')
    await number.pressSequentially('860')
    await opened.form.locator('#expiry').focus()
    await opened.waitForEvents('focus', 2)
    assert.deepEqual(await opened.eventValues('focus'), ['number', 'expiry'])
    assert.deepEqual((await opened.eventValues('blur')).slice(0, 1), ['number'])
    const brands = async (): Promise<unknown[]> => ((await opened.eventValues('change')) as { brand: unknown }[]).map(({ brand }) => brand)
    assert.ok((await brands()).every((brand) => brand === null))
    await number.fill('8600')
    await opened.page.waitForFunction(() => {
      const changes = (globalThis as unknown as TestPage).formEvents['change'] as { brand: string | null }[]
      return changes.at(-1)?.brand === 'uzcard'
    })
    await number.fill('9860')
    await opened.page.waitForFunction(() => {
      const changes = (globalThis as unknown as TestPage).formEvents['change'] as { brand: string | null }[]
      return changes.at(-1)?.brand === 'humo'
    })
    await enterCard(opened, success)
    await opened.waitForEvents('busy', 2)
    assert.deepEqual(await opened.eventValues('busy'), [true, false])
    await opened.page.close()
  })
})

describe('the language', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  it('is that of a BCP 47 tag, or of the page and then the browser', async () => {
    for (const [locale, pageLanguage, language] of [
      ['uz-Latn-UZ', 'en', 'uz'],
      ['ru-RU', 'en', 'ru'],
      ['EN-gb', 'uz', 'en'],
      ['auto', 'ru-RU', 'ru'],
      ['auto', 'fr', 'en'],
    ] as const) {
      const opened = await testBed.open({ page: { locale: 'en-US' } })
      await opened.page.evaluate(
        ([lang, tag]) => {
          const { form } = globalThis as unknown as TestPage
          document.documentElement.lang = lang
          form.update({ locale: tag })
          form.mount('#card')
        },
        [pageLanguage, locale] as const,
      )
      await opened.form.locator(`html[lang=${language}]`).waitFor()
      assert.deepEqual(await opened.eventValues('error'), [])
      await opened.page.close()
    }
  })
})
