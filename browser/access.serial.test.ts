// time limit: 180 s
import axe from 'axe-core'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Frame, Page } from 'playwright-core'

import { enterCard, enterCode, startStage, type Stage } from './form.fixture.ts'

/** WCAG 2.2 A and AA, and what axe counts as good practice. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** As shops are built: a heading and a main part, in which the form stands. */
const body = '<header>Shop</header><main><h1>Pay</h1><div id="card"></div></main><footer>Shop Ltd</footer>'

describe('the card form under axe', () => {
  let stage: Stage
  before(async () => {
    stage = await startStage()
  })
  after(() => stage.stop())

  for (const locale of ['uz', 'ru', 'en'] as const) {
    for (const scheme of ['light', 'dark'] as const) {
      it(`finds nothing in any step: ${locale}, ${scheme}`, async () => {
        // Without motion: a button that fades in is judged by its colour, not by its shade on the way.
        const opened = await stage.open({
          body,
          options: { locale, theme: { scheme } },
          page: { colorScheme: scheme, reducedMotion: 'reduce' },
        })
        const [{ form }, frame] = [opened, await opened.frame()]
        await opened.heard('ready')
        for (const document of [opened.page, frame]) await document.evaluate(axe.source)
        const look = async (step: string): Promise<void> =>
          assert.deepEqual(await violationsOf(opened.page, frame), [], `${locale} ${scheme}: ${step}`)
        await form.locator(`html[lang=${locale}]`).waitFor()
        await look('card, empty')
        await form.locator('form.card button').click()
        await form.locator('#number-fault:not(:empty)').waitFor()
        await look('card, two faults')
        await enterCard(opened, '8600143417770323')
        await form.locator('.whole:not(:empty)').waitFor()
        await look('card, refused as a whole')
        await enterCard(opened, '8600069195406311')
        await form.locator('#code').waitFor()
        await look('code, with its countdown')
        await enterCode(opened, '111111')
        await form.locator('#code-fault:not(:empty)').waitFor()
        await look('code, wrong')
        await enterCode(opened)
        await form.locator('.done h2').waitFor()
        await look('done')
        await opened.page.close()
      })
    }
  }

  it('would find a label that is gone and a colour that is too pale', async () => {
    const opened = await stage.open({ body })
    const frame = await opened.frame()
    await opened.heard('ready')
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

/** What axe says of the shop's page with the form in it, a line a rule. It is asked in each document, and the answers are put together as one page. */
async function violationsOf(page: Page, frame: Frame): Promise<string[]> {
  const options = { runOnly: { type: 'tag', values: tags } } as const
  const contexts = await page.evaluate(() => (globalThis as unknown as WithAxe).axe.utils.getFrameContexts(document))
  const partials = [
    await page.evaluate((asked) => (globalThis as unknown as WithAxe).axe.runPartial(document, asked), options),
    await frame.evaluate(([context, asked]) => (globalThis as unknown as WithAxe).axe.runPartial(context, asked), [
      contexts[0]?.frameContext ?? assert.fail('axe sees no frame'),
      options,
    ] as const),
  ]
  const { violations } = await page.evaluate(([parts, asked]) => (globalThis as unknown as WithAxe).axe.finishRun(parts, asked), [
    partials,
    options,
  ] as const)
  return violations.map(
    ({ id, nodes }) => `${id} at ${nodes.map(({ target, failureSummary }) => `${String(target)}: ${String(failureSummary)}`).join(' | ')}`,
  )
}

type WithAxe = { axe: typeof axe }
