// time limit: 180 s
import axe from 'axe-core'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Frame, Page } from 'playwright-core'

import { pressInFrame } from '../tools/press-in-frame.ts'
import { enterCard, enterCode, startTestBed, type TestBed } from './form.fixture.ts'
import { createOfferingSession, saveCards } from './saved-cards.fixture.ts'

/** WCAG 2.2 A and AA, and axe's good practice. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** A typical shop page, with the form in its main element. */
const body = '<header>Shop</header><main><h1>Pay</h1><div id="card"></div></main><footer>Shop Ltd</footer>'

describe('the card form under axe', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  // Contrast depends on the scheme, and by its type the table of texts has every text in every language.
  for (const [locale, scheme] of [
    ['uz', 'light'],
    ['ru', 'dark'],
  ] as const) {
    it(`has no violations in any step: ${locale}, ${scheme}`, async () => {
      // Without motion, so that a button is measured with its final color and not while it fades in.
      const opened = await testBed.open({
        body,
        options: { locale, theme: { scheme } },
        page: { colorScheme: scheme, reducedMotion: 'reduce' },
      })
      const [{ form }, frame] = [opened, await opened.frame()]
      await opened.waitForEvent('ready')
      for (const document of [opened.page, frame]) await document.evaluate(axe.source)
      const expectNoViolations = async (step: string): Promise<void> =>
        assert.deepEqual(await violationsOf(opened.page, frame), [], `${locale} ${scheme}: ${step}`)
      await form.locator(`html[lang=${locale}]`).waitFor()
      await expectNoViolations('card, empty')
      await pressInFrame(form.locator('form.card button'))
      await form.locator('#number-fault:not(:empty)').waitFor()
      await expectNoViolations('card, two errors')
      await enterCard(opened, '8600143417770323')
      await form.locator('.whole:not(:empty)').waitFor()
      await expectNoViolations('card, error of the whole form')
      await enterCard(opened, '8600069195406311')
      await form.locator('#code').waitFor()
      await expectNoViolations('code, with its countdown')
      await enterCode(opened, '111111')
      await form.locator('#code-fault:not(:empty)').waitFor()
      await expectNoViolations('code, wrong')
      await enterCode(opened)
      await form.locator('.done h2').waitFor()
      await expectNoViolations('done')
      await opened.page.close()
    })
  }

  for (const [locale, scheme] of [
    ['uz', 'dark'],
    ['ru', 'light'],
  ] as const) {
    it(`has no violations in the saved cards: ${locale}, ${scheme}`, async () => {
      const tokens = await saveCards(testBed, ['8600069195406311', '8600495473316478'])
      const { session } = await createOfferingSession(testBed, tokens)
      const opened = await testBed.open({
        body,
        options: { locale, session, theme: { scheme } },
        page: { colorScheme: scheme, reducedMotion: 'reduce', viewport: { width: 360, height: 740 } },
      })
      const [{ form }, frame] = [opened, await opened.frame()]
      await form.locator('.saved').waitFor()
      for (const document of [opened.page, frame]) await document.evaluate(axe.source)
      const expectNoViolations = async (step: string): Promise<void> =>
        assert.deepEqual(await violationsOf(opened.page, frame), [], `${locale} ${scheme}: ${step}`)
      await expectNoViolations('list')
      await pressInFrame(form.locator('.remove').first())
      await expectNoViolations('question')
      await pressInFrame(form.locator('.keep'))
      await pressInFrame(form.locator('.add'))
      await expectNoViolations('fields')
      await pressInFrame(form.locator('.to-list'))
      await pressInFrame(form.locator('form.card button.main'))
      await form.locator('.done h2').waitFor()
      await expectNoViolations('picked')
      await opened.page.close()
    })
  }

  it('would report a missing label and a color with too little contrast', async () => {
    const opened = await testBed.open({ body })
    const frame = await opened.frame()
    await opened.waitForEvent('ready')
    for (const document of [opened.page, frame]) await document.evaluate(axe.source)
    await frame.evaluate(() => {
      document.querySelector('label[for=number]')?.remove()
      document.querySelector('footer')?.style.setProperty('color', '#bbb')
    })
    const found = (await violationsOf(opened.page, frame)).map((line) => line.split(' ')[0])
    for (const rule of ['label', 'color-contrast']) assert.ok(found.includes(rule), `${rule} is not among ${found.join()}`)
    await opened.page.close()
  })
})

/** The violations in the shop's page with the form in it, one line per rule. axe runs in each document, and the results are merged as one page. */
async function violationsOf(page: Page, frame: Frame): Promise<string[]> {
  const options = { runOnly: { type: 'tag', values: tags } } as const
  const contexts = await page.evaluate(() => (globalThis as unknown as WithAxe).axe.utils.getFrameContexts(document))
  const partials = [
    await page.evaluate((args) => (globalThis as unknown as WithAxe).axe.runPartial(document, args), options),
    await frame.evaluate(([context, args]) => (globalThis as unknown as WithAxe).axe.runPartial(context, args), [
      contexts[0]?.frameContext ?? assert.fail('axe finds no frame'),
      options,
    ] as const),
  ]
  const { violations } = await page.evaluate(([parts, args]) => (globalThis as unknown as WithAxe).axe.finishRun(parts, args), [
    partials,
    options,
  ] as const)
  return violations.map(
    ({ id, nodes }) => `${id} at ${nodes.map(({ target, failureSummary }) => `${String(target)}: ${String(failureSummary)}`).join(' | ')}`,
  )
}

type WithAxe = { axe: typeof axe }
