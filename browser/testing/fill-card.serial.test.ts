// time limit: 240 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { startStage, type Opened, type Stage } from '../form.fixture.ts'
import { fakeTessera } from './fake-tessera.ts'
import { fillCard } from './fill-card.ts'

const success = '8600069195406311'

describe('fillCard in a real browser', () => {
  let stage: Stage
  before(async () => {
    stage = await startStage()
  })
  after(() => stage.stop())

  async function withForm(deed: (opened: Opened) => Promise<void>, options: object = {}): Promise<void> {
    const opened = await stage.open({ options })
    await deed(opened)
    await opened.page.close()
  }

  it('fills the form to its end, with the box ticked or left', async () => {
    for (const save of [true, false]) {
      await withForm(async ({ page, heard }) => {
        assert.deepEqual(await fillCard(page, { number: success, expire: '03/99', save }), { ok: true, step: 'done' })
        assert.equal(((await heard('token')) as { card: { recurrent: boolean } }).card.recurrent, save)
      })
    }
  })

  it('waits for a page that is late to tell its form what it wants', async () => {
    const late = 'const post = MessagePort.prototype.postMessage; MessagePort.prototype.postMessage = function (...told) {'
    const opened = await stage.open({ head: `<script>${late} setTimeout(() => post.apply(this, told), 1500) }</script>` })
    const filled = await fillCard(opened.page, { number: success, expire: '03/99', save: true })
    assert.deepEqual(filled, { ok: true, step: 'done' })
    assert.equal(((await opened.heard('token')) as { card: { recurrent: boolean } }).card.recurrent, true)
    await opened.page.close()
  })

  it('gives what the form says of every scenario card, one after the other in one form and without a pause', async () => {
    const cases: [pan: string, field: string | null, says: RegExp][] = [
      ['8600060921090842', 'number', /not connected/],
      ['3333336415804657', 'expiry', /expired/],
      ['4444445987459073', 'number', /blocked/],
      ['8600143417770323', null, /Nothing was charged/],
      ['8600000000000000', 'number', /not right/],
    ]
    await withForm(async ({ page }) => {
      for (const [number, field, says] of [...cases, ...cases]) {
        const filled = await fillCard(page, { number, expire: '0399' })
        assert.ok(!filled.ok && filled.step === 'card', JSON.stringify(filled))
        assert.equal(filled.field, field)
        assert.match(filled.said, says)
      }
      assert.equal((await fillCard(page, { number: success, expire: '0399' })).ok, true)
    })
  })

  it('tells a wrong code, and stops before the code where it is asked to', async () => {
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
        const does = (deed: 'submit' | 'verify') => () =>
          page.evaluate((name) => (globalThis as unknown as { form: Record<string, () => void> }).form[name]?.(), deed)
        const entry = { expire: '0399', submit: does('submit'), verify: does('verify') }
        for (const press of [1, 2]) assert.equal((await fillCard(page, { ...entry, number: '8600143417770323' })).ok, false, String(press))
        assert.deepEqual(await fillCard(page, { ...entry, number: success }), { ok: true, step: 'done' })
      },
      { button: false },
    )
  })

  it('ends well in a page that goes elsewhere as soon as it has the token', async () => {
    await withForm(async ({ page }) => {
      await page.evaluate(() => {
        type Told = { form: { on: (event: string, listener: () => void) => void } }
        ;(globalThis as unknown as Told).form.on('token', () => document.querySelector('iframe')?.remove())
      })
      assert.deepEqual(await fillCard(page, { number: success, expire: '0399' }), { ok: true, step: 'done' })
    })
  })

  it('ends well in a page that shows another form as soon as it has the token', async () => {
    await withForm(async ({ page }) => {
      await page.evaluate(() => {
        type Told = { form: { on: (event: string, listener: () => void) => void; mount: (at: string) => void; unmount: () => void } }
        const { form } = globalThis as unknown as Told
        form.on('token', () => {
          form.unmount()
          form.mount('#card')
        })
      })
      assert.deepEqual(await fillCard(page, { number: success, expire: '0399', waitMsMax: 10_000 }), { ok: true, step: 'done' })
    })
  })

  it('says at once that there is no box to tick', async () => {
    await withForm(({ page }) => assert.rejects(fillCard(page, { number: success, expire: '0399', save: true }), /save: 'ask'/), {
      save: 'off',
    })
  })

  it('is hindered by nothing when one browser sends thirty cards as fast as it can', async () => {
    await Promise.all(
      Array.from({ length: 3 }, () =>
        withForm(async ({ page, calls }) => {
          for (let i = 0; i < 10; i++) {
            assert.deepEqual(await fillCard(page, { number: success, expire: '0399' }), { ok: true, step: 'done' })
            await page.evaluate(() => (globalThis as unknown as { form: { clear: () => void } }).form.clear())
            await page.frameLocator('iframe').locator('#number:visible').waitFor()
          }
          assert.equal(calls('cards.verify'), 10)
        }),
      ),
    )
  })

  it('sees the fake tell what the real form tells, in the same order', async () => {
    const plays: { number: string; reason: string | null; code: string }[] = [
      { number: success, reason: null, code: '666666' },
      { number: success, reason: null, code: '000000' },
      { number: '4444445987459073', reason: 'card_blocked', code: '666666' },
    ]
    for (const { number, reason, code } of plays) {
      const tessera = fakeTessera({ submit: reason === null ? [] : [reason], verify: code === '666666' ? [] : ['wrong_code'] })
      const form = new tessera.CardForm({ merchant: stage.merchant, formOrigin: stage.formOrigin, locale: 'en', save: 'ask' })
      const faked = new Map<string, unknown[]>()
      for (const name of told) form.on(name, (value) => faked.set(name, [...(faked.get(name) ?? []), value]))
      form.mount('#card')
      tessera.cardholder.typesCard()
      tessera.cardholder.presses()
      if (reason === null) {
        tessera.cardholder.typesCode()
        tessera.cardholder.presses()
      }
      await tessera.settled()
      await withForm(async ({ page, said, heardMany }) => {
        await fillCard(page, { number, expire: '0399', code })
        // What the frame shows and what the page has heard come by different ways: each is waited for by itself.
        for (const name of told) await heardMany(name, faked.get(name)?.length ?? 0)
        for (const name of told) assert.deepEqual((await said(name)).map(withoutToken), (faked.get(name) ?? []).map(withoutToken), name)
      })
    }
  })
})

const told = ['step', 'token', 'error', 'wait'] as const

function withoutToken(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'token' in value ? { ...value, token: String(value.token).length } : value
}
