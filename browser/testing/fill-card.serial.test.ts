// time limit: 240 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { startTestBed, type OpenForm, type TestBed } from '../form.fixture.ts'
import { fakeTessera } from './fake-tessera.ts'
import { fillCard } from './fill-card.ts'

const success = '8600069195406311'

describe('fillCard in a real browser', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  async function withForm(action: (opened: OpenForm) => Promise<void>, options: object = {}): Promise<void> {
    const opened = await testBed.open({ options })
    await action(opened)
    await opened.page.close()
  }

  it('completes the form, with the consent box ticked or not', async () => {
    for (const save of [true, false]) {
      await withForm(async ({ page, waitForEvent }) => {
        assert.deepEqual(await fillCard(page, { number: success, expire: '03/99', save }), { ok: true, step: 'done' })
        assert.equal(((await waitForEvent('token')) as { card: { recurrent: boolean } }).card.recurrent, save)
      })
    }
  })

  it('waits for a page that sends its options late', async () => {
    const delayedPost = 'const post = MessagePort.prototype.postMessage; MessagePort.prototype.postMessage = function (...args) {'
    const opened = await testBed.open({ head: `<script>${delayedPost} setTimeout(() => post.apply(this, args), 1500) }</script>` })
    const filled = await fillCard(opened.page, { number: success, expire: '03/99', save: true })
    assert.deepEqual(filled, { ok: true, step: 'done' })
    assert.equal(((await opened.waitForEvent('token')) as { card: { recurrent: boolean } }).card.recurrent, true)
    await opened.page.close()
  })

  it('returns the form’s error for every scenario card, one after another in one form without a pause', async () => {
    const cases: [pan: string, field: string | null, message: RegExp][] = [
      ['8600060921090842', 'number', /not enabled/],
      ['3333336415804657', 'expiry', /expired/],
      ['4444445987459073', 'number', /blocked/],
      ['8600143417770323', null, /Nothing was charged/],
      ['8600000000000000', 'number', /not valid/],
    ]
    await withForm(async ({ page }) => {
      for (const [number, field, message] of [...cases, ...cases]) {
        const filled = await fillCard(page, { number, expire: '0399' })
        assert.ok(!filled.ok && filled.step === 'card', JSON.stringify(filled))
        assert.equal(filled.field, field)
        assert.match(filled.message, message)
      }
      assert.equal((await fillCard(page, { number: success, expire: '0399' })).ok, true)
    })
  })

  it('returns a wrong code, and stops before the code when code is null', async () => {
    await withForm(async ({ page }) => {
      const wrong = await fillCard(page, { number: success, expire: '0399', code: '000000' })
      assert.ok(!wrong.ok)
      assert.deepEqual([wrong.step, wrong.field], ['code', 'code'])
    })
    await withForm(async ({ page }) => {
      assert.deepEqual(await fillCard(page, { number: success, expire: '0399', code: null }), { ok: true, step: 'code' })
    })
  })

  it('presses the buttons of a page whose form has none', async () => {
    await withForm(
      async ({ page }) => {
        const pressOwn = (action: 'submit' | 'verify') => () =>
          page.evaluate((name) => (globalThis as unknown as { form: Record<string, () => void> }).form[name]?.(), action)
        const entry = { expire: '0399', submit: pressOwn('submit'), verify: pressOwn('verify') }
        for (const press of [1, 2]) assert.equal((await fillCard(page, { ...entry, number: '8600143417770323' })).ok, false, String(press))
        assert.deepEqual(await fillCard(page, { ...entry, number: success }), { ok: true, step: 'done' })
      },
      { button: false },
    )
  })

  it('succeeds in a page that removes the form as soon as it has the token', async () => {
    await withForm(async ({ page }) => {
      await page.evaluate(() => {
        type Page = { form: { on: (event: string, listener: () => void) => void } }
        ;(globalThis as unknown as Page).form.on('token', () => document.querySelector('iframe')?.remove())
      })
      assert.deepEqual(await fillCard(page, { number: success, expire: '0399' }), { ok: true, step: 'done' })
    })
  })

  it('succeeds in a page that mounts another form as soon as it has the token', async () => {
    await withForm(async ({ page }) => {
      await page.evaluate(() => {
        type Page = { form: { on: (event: string, listener: () => void) => void; mount: (at: string) => void; unmount: () => void } }
        const { form } = globalThis as unknown as Page
        form.on('token', () => {
          form.unmount()
          form.mount('#card')
        })
      })
      assert.deepEqual(await fillCard(page, { number: success, expire: '0399', timeoutMs: 10_000 }), { ok: true, step: 'done' })
    })
  })

  it('throws at once when there is no consent box to tick', async () => {
    await withForm(({ page }) => assert.rejects(fillCard(page, { number: success, expire: '0399', save: true }), /save: 'ask'/), {
      save: 'off',
    })
  })

  it('meets no limit when one browser submits thirty cards as fast as it can', async () => {
    await Promise.all(
      Array.from({ length: 3 }, () =>
        withForm(async ({ page, callCount }) => {
          for (let i = 0; i < 10; i++) {
            assert.deepEqual(await fillCard(page, { number: success, expire: '0399' }), { ok: true, step: 'done' })
            await page.evaluate(() => (globalThis as unknown as { form: { clear: () => void } }).form.clear())
            await page.frameLocator('iframe').locator('#number:visible').waitFor()
          }
          assert.equal(callCount('cards.verify'), 10)
        }),
      ),
    )
  })

  it('gets the same events from the fake as from the real form, in the same order', async () => {
    const cases: { number: string; reason: 'card_blocked' | null; code: string }[] = [
      { number: success, reason: null, code: '666666' },
      { number: success, reason: null, code: '000000' },
      { number: '4444445987459073', reason: 'card_blocked', code: '666666' },
    ]
    for (const { number, reason, code } of cases) {
      const tessera = fakeTessera({ submit: reason === null ? [] : [reason], verify: code === '666666' ? [] : ['wrong_code'] })
      const form = new tessera.CardForm({ merchant: testBed.merchant, formOrigin: testBed.formOrigin, locale: 'en', save: 'ask' })
      const fakeEvents = new Map<string, unknown[]>()
      for (const name of comparedEvents) form.on(name, (value) => fakeEvents.set(name, [...(fakeEvents.get(name) ?? []), value]))
      form.mount('#card')
      tessera.cardholder.typesCard()
      tessera.cardholder.presses()
      if (reason === null) {
        tessera.cardholder.typesCode()
        tessera.cardholder.presses()
      }
      await tessera.settled()
      await withForm(async ({ page, eventValues, waitForEvents }) => {
        await fillCard(page, { number, expire: '0399', code })
        // The frame may show a change before the page gets its event, so each event is waited for.
        for (const name of comparedEvents) await waitForEvents(name, fakeEvents.get(name)?.length ?? 0)
        for (const name of comparedEvents)
          assert.deepEqual((await eventValues(name)).map(withoutToken), (fakeEvents.get(name) ?? []).map(withoutToken), name)
      })
    }
  })
})

const comparedEvents = ['step', 'token', 'error', 'wait'] as const

function withoutToken(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'token' in value ? { ...value, token: String(value.token).length } : value
}
